"""Mode rfc2136: swift-lb-dns sends the healthy nodes to a real BIND in signed updates."""
import contextlib
import http.client
import re

import dns.rdatatype
import pytest
from support.authorities import UpdatedBind
from support.lb_dns import LbDnsServer
from support.name_server import missing, wait_until

from swift_lb.clock import sleep
from swift_lb.model import DRAINING, LATE

ZONE = 'lb.example.com'
NAME = f'swift.{ZONE}'
SHARES = {'192.0.2.1': .5, '192.0.2.2': .3, '192.0.2.3': .1, '2001:db8::4': .1}
OPTIONS = '''\
mode = rfc2136
update_server = {bind.ip}:{bind.port}
update_key_name = {bind.key_name}
update_key = {key}
update_interval = 0.3
'''

pytestmark = pytest.mark.skipif(missing('named') is not None, reason=str(missing('named')))


class Pushing(LbDnsServer):
    """swift-lb-dns that answers no queries, and is ready when it answers GET /metrics."""

    def _wait(self):
        wait_until(self._has_metrics, self.log)

    def _has_metrics(self):
        with contextlib.suppress(OSError):
            return self.metrics()

    def metrics(self):
        connection = http.client.HTTPConnection(self.ip, self.http_port, timeout=30)
        with contextlib.closing(connection):
            connection.request('GET', '/metrics')
            return connection.getresponse().read().decode()


@pytest.fixture
def bind():
    with UpdatedBind(ZONE, [f'{NAME}. A 192.0.2.99']) as updated_bind:
        yield updated_bind


def addresses(bind, qtype='A'):
    """Return ({address in BIND's answer}, their TTL in seconds; None without an answer)."""
    rrsets = bind.ask(NAME, qtype).answer
    return ({record.address for rrset in rrsets for record in rrset},
            rrsets[0].ttl if rrsets else None)


def wait_for(bind, expected, qtype='A'):
    """Wait until addresses() of BIND is `expected`, ({address}, TTL in seconds)."""
    wait_until(lambda: addresses(bind, qtype) == expected, lambda: addresses(bind, qtype))


def serial(bind):
    """Return the serial number of the zone: it goes up with each update."""
    return bind.ask(ZONE, dns.rdatatype.SOA).answer[0][0].serial


def test_the_operators_bind_has_only_the_healthy_proxies(bind):
    with Pushing(ZONE, SHARES, OPTIONS.format(bind=bind, key=bind.secret)) as pushing:
        wait_for(bind, ({'192.0.2.1', '192.0.2.2', '192.0.2.3'}, 60))
        wait_for(bind, ({'2001:db8::4'}, 60), 'AAAA')
        pushing.instruct(SHARES, node_2=LATE, node_3=DRAINING)
        wait_for(bind, ({'192.0.2.1'}, 30))         # the shorter TTL
        wait_until(lambda: is_settled(bind, {'192.0.2.1'}), lambda: addresses(bind))
        pushing.instruct(SHARES)
        wait_for(bind, ({'192.0.2.1', '192.0.2.2', '192.0.2.3'}, 60))
        (pushing.folder / 'instruction.json').unlink()
        pushing.instruct(SHARES, lasts=-1, node_1=DRAINING)
        sleep(1.0)                                  # without an instruction no update is sent
        assert addresses(bind)[0] == {'192.0.2.1', '192.0.2.2', '192.0.2.3'}


def is_settled(bind, expected):
    """Return whether BIND has just the addresses `expected`, and gets no update for 1 s."""
    was = serial(bind)
    sleep(1.0)
    return addresses(bind)[0] == expected and serial(bind) == was


def test_updates_of_two_nodes_settle_on_the_same_addresses(bind):
    # For a moment each may undo what the other has sent, until both have the new instruction.
    options = OPTIONS.format(bind=bind, key=bind.secret)
    with Pushing(ZONE, SHARES, options) as one, Pushing(ZONE, SHARES, options) as other:
        wait_for(bind, ({'192.0.2.1', '192.0.2.2', '192.0.2.3'}, 60))
        for pushing in one, other:
            pushing.instruct(SHARES, node_1=DRAINING)
        wait_until(lambda: is_settled(bind, {'192.0.2.2', '192.0.2.3'}), lambda: addresses(bind))


def test_updates_signed_with_a_wrong_key_change_nothing(bind):
    wrong = OPTIONS.format(bind=bind, key='bm90IHRoZSBrZXkgdGhhdCBpdCBpcw==')
    with Pushing(ZONE, SHARES, wrong) as pushing:
        wait_until(lambda: re.search(
            r'swift_lb_dns_faults_total\{process="update"\} [1-9]', pushing.metrics()),
            pushing.metrics)
        assert addresses(bind)[0] == {'192.0.2.99'}
