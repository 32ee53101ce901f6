"""rfc2136: a real BIND, which is told by signed updates who is healthy."""
import contextlib
import http.client

import dns.rdatatype
import pytest
from support.authorities import UpdatedBind
from support.lb_dns import LbDns
from support.name_server import missing

from swift_lb.clock import monotonic, sleep
from swift_lb.model import DRAINING, LATE

ZONE = 'lb.example.com'
NAME = f'swift.{ZONE}'
SHARES = {'192.0.2.1': .5, '192.0.2.2': .3, '192.0.2.3': .1, '2001:db8::4': .1}
SOON = 30.0     # seconds
OPTIONS = '''\
mode = rfc2136
update_server = {bind.ip}:{bind.port}
update_key_name = {bind.key_name}
update_key = {key}
update_interval = 0.3
'''

pytestmark = pytest.mark.skipif(missing('named') is not None, reason=str(missing('named')))


class Pushing(LbDns):
    """swift-lb-dns that serves nothing, and is ready when it can be looked at."""

    def _wait(self):
        """It answers no questions."""
        until = monotonic() + SOON
        while True:
            with contextlib.suppress(OSError):
                if self.metrics():
                    return
            assert monotonic() < until, self.log()
            sleep(0.05)

    def metrics(self):
        """Return the metrics."""
        connection = http.client.HTTPConnection(self.ip, self.http_port, timeout=2)
        with contextlib.closing(connection):
            connection.request('GET', '/metrics')
            return connection.getresponse().read().decode()


@pytest.fixture
def bind():
    with UpdatedBind(ZONE, [f'{NAME}. A 192.0.2.99']) as updated_bind:
        yield updated_bind


def addresses(bind, kind='A'):
    """Return (the addresses that BIND has, their TTL)."""
    items = list(bind.ask(NAME, kind).answer)
    return ({record.address for rrset in items for record in rrset},
            items[0].ttl if items else None)


def wait_for(bind, wanted, kind='A'):
    """Wait until BIND has the addresses and their TTL."""
    until = monotonic() + SOON
    while addresses(bind, kind) != wanted:
        assert monotonic() < until, addresses(bind, kind)
        sleep(0.05)


def serial(bind):
    """Return the serial number of the zone: it goes up with each update."""
    return bind.ask(ZONE, dns.rdatatype.SOA).answer[0][0].serial


def test_healthy_proxies_are_in_the_operators_dns(bind):
    with Pushing(ZONE, SHARES, OPTIONS.format(bind=bind, key=bind.secret)) as pushing:
        wait_for(bind, ({'192.0.2.1', '192.0.2.2', '192.0.2.3'}, 60))
        wait_for(bind, ({'2001:db8::4'}, 60), 'AAAA')
        pushing.instruct(SHARES, node_2=LATE, node_3=DRAINING)
        wait_for(bind, ({'192.0.2.1'}, 30))         # and soon asked for again
        was = serial(bind)
        sleep(1.5)
        assert serial(bind) == was, 'nothing is new, and yet it was updated'
        pushing.instruct(SHARES)
        wait_for(bind, ({'192.0.2.1', '192.0.2.2', '192.0.2.3'}, 60))
        (pushing.folder / 'instruction.json').unlink()
        pushing.instruct(SHARES, lasts=-1, node_1=DRAINING)
        sleep(1.0)                                  # without an instruction, all stays as it is
        assert addresses(bind)[0] == {'192.0.2.1', '192.0.2.2', '192.0.2.3'}


def test_two_nodes_send_one_update(bind):
    options = OPTIONS.format(bind=bind, key=bind.secret)
    with Pushing(ZONE, SHARES, options) as one, Pushing(ZONE, SHARES, options) as other:
        wait_for(bind, ({'192.0.2.1', '192.0.2.2', '192.0.2.3'}, 60))
        sleep(1.0)
        was = serial(bind)
        for pushing in one, other:
            pushing.instruct(SHARES, node_1=DRAINING)
        wait_for(bind, ({'192.0.2.2', '192.0.2.3'}, 60))
        sleep(1.0)
        assert serial(bind) - was <= 2      # both, if they have looked at the same instant


def test_wrong_key_is_reported_and_changes_nothing(bind):
    wrong = OPTIONS.format(bind=bind, key='bm90IHRoZSBrZXkgdGhhdCBpdCBpcw==')
    with Pushing(ZONE, SHARES, wrong) as pushing:
        until = monotonic() + SOON
        while 'swift_lb_dns_faults_total{process="update"} 0.0' in (text := pushing.metrics()) or (
                'swift_lb_dns_faults_total{process="update"}' not in text):
            assert monotonic() < until, text
            sleep(0.1)
        assert addresses(bind)[0] == {'192.0.2.99'}
