"""Sites and links on this machine: delays, losses and partitions between two real Swifts."""
import socket
import subprocess

import pytest
from support.wide_area import at, missing, sites_with_labs

from swift_lb.clock import monotonic
from swift_lb.errors import ConfigError, LabError
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.wan import sites, wan

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

FILE = '[link ksu ucsb]\nrtt = 80ms\n'
CONNECT = '''
import socket, sys, time
times = []
for _time in range(5):
    begun = time.monotonic()
    socket.create_connection((sys.argv[1], 8080), 60).close()
    times.append(time.monotonic() - begun)
print(min(times))
'''

TRANSFER = '''
import sys
from urllib.request import Request, urlopen
url, token = sys.argv[1:]
headers = {'X-Auth-Token': token}
urlopen(Request(f'{url}/c', method='PUT', headers=headers))
urlopen(Request(f'{url}/c/o', b'x' * 1000000, headers, method='PUT'))
print(len(urlopen(Request(f'{url}/c/o', headers=headers)).read()))
'''


@pytest.fixture(scope='module')
def network():
    """The wide-area network of FILE, with a lab in each site; yields {site: Lab}."""
    with sites_with_labs(FILE, [LabSpec(name=f'site-{site}', site=site, nodes=1, replicas=1)
                                for site in ('ksu', 'ucsb')]) as labs:
        yield labs


@pytest.fixture(autouse=True)
def as_in_file(network):
    """Set the link back to what FILE has."""
    yield
    wan.change(['rtt=80ms', 'loss=0', 'busy=0', 'rate=', 'up'])


def connect_time(site, ip):
    """Return the least seconds of five TCP handshakes from `site` with the proxy at `ip`."""
    return float(at(site, 'python3', '-c', CONNECT, ip))


def test_a_handshake_between_sites_takes_a_round_trip_and_none_within_a_site(network):
    assert connect_time('ksu', '198.18.2.1') >= 0.08
    assert connect_time('ksu', '198.18.1.1') < 0.08     # measured 0.1 ms
    wan.change(['link=ucsb,ksu', 'rtt=200ms'])
    assert connect_time('ucsb', '198.18.1.1') >= 0.2


def test_a_link_that_is_down_carries_nothing_and_this_machine_still_reaches_both(network):
    before = wan.link_document()['ksu ucsb']
    wan.change(['down'])
    with pytest.raises(subprocess.CalledProcessError):
        at('ksu', 'python3', '-c',
           'import socket; socket.create_connection(("198.18.2.1", 8080), 2)')
    after = wan.link_document()['ksu ucsb']
    assert before['packets_there'] == after['packets_there']
    assert after['lost_there'] > before['lost_there']
    for lab in network.values():
        socket.create_connection((lab.endpoint.split('/')[2].split(':')[0], 8080), 60).close()


def test_bytes_of_a_link_come_no_faster_than_its_rate(network):
    wan.change(['rtt=1ms', 'rate=8M'])
    lab = network['ucsb']
    begun = monotonic()
    read = at('ksu', 'python3', '-c', TRANSFER, lab.storage_url(), str(lab.token()))
    assert '1000000' == read.strip()
    assert monotonic() - begun >= 2.0       # 16 million bits and a little over 8 million a second


def test_a_site_has_one_lab_and_its_network_stays_while_the_lab_runs(network):
    with pytest.raises(LabError, match='the site ksu has a lab already'):
        Lab.up(LabSpec(name='another', site='ksu'))
    with pytest.raises(LabError, match="there is no site 'mit'; the sites are ksu, ucsb"):
        Lab.up(LabSpec(name='another', site='mit'))
    with pytest.raises(LabError, match='the labs site-ksu, site-ucsb run in its sites'):
        wan.down()
    with pytest.raises(LabError, match='is up already'):
        wan.up(sites.parse(FILE, 'test'))


def test_this_machines_ends_of_the_sites_get_no_address_later(network):
    for site in ('ksu', 'ucsb'):
        with open(f'/proc/sys/net/ipv6/conf/swlb-{site}/addr_gen_mode') as file:
            assert '1' == file.read().strip()       # none: a browser would end its requests


def test_wrong_words_are_all_reported_and_change_nothing(network):
    before = wan.link_document()
    with pytest.raises(ConfigError) as raised:
        wan.change(['rtt=1s', 'loss=200%', 'link=ksu,mit', 'sideways'])
    assert 3 == len(raised.value.faults)
    assert before['ksu ucsb']['rtt'] == wan.link_document()['ksu ucsb']['rtt']
