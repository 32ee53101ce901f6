"""The addresses that clients of glibc's getaddrinfo use: it sorts them (RFC 6724, rule 9).

A process in a network and a mount namespace of its own has an address, a route, swift-lb-dns on
port 53 and a resolv.conf that names it.
"""
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ZONE, NAME = 'lb.example.com', 'swift.lb.example.com'
LOOKUPS = 200
RESOLV, NSSWITCH = '/etc/resolv.conf', '/etc/nsswitch.conf'
# Numbers 1, 2 and 4 above the client: they have 31, 30 and 29 bits in common with it.
CLIENT, NEAR = '192.0.2.64/24', ('192.0.2.65', '192.0.2.66', '192.0.2.68')
CLIENT6, NEAR6 = '2001:db8::40/64', ('2001:db8::41', '2001:db8::42', '2001:db8::44')
UNEVEN, EVEN = (.26, .31, .43), (1 / 3, 1 / 3, 1 / 3)

pytestmark = pytest.mark.skipif(
    os.getuid() != 0 or not all(map(shutil.which, ('ip', 'unshare', 'mount')))
    or platform.libc_ver()[0] != 'glibc',
    reason='only root makes namespaces; with glibc, iproute2 and util-linux')


def firsts(client, addresses, shares, mode):
    """Return, for each of `addresses`, how many of LOOKUPS getaddrinfo calls have it first.

    `client` is its own address, with a prefix length; `shares` are those of the instruction.
    """
    words = json.dumps([client, dict(zip(addresses, shares, strict=True)), f'mode = {mode}'])
    done = subprocess.run(['unshare', '--net', '--mount', sys.executable, '-W', 'ignore', __file__,
                           words], capture_output=True, text=True, timeout=300,
                          env=os.environ | {'PYTHONPATH': str(Path(__file__).parents[1])})
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert sum(counted.values()) == LOOKUPS
    return [counted.get(address, 0) for address in addresses]


@pytest.mark.parametrize(('client', 'addresses', 'shares', 'mode', 'expected', 'off'), [
    (CLIENT, NEAR, EVEN, 'all', (1, 0, 0), 0),
    (CLIENT6, NEAR6, EVEN, 'all', (1, 0, 0), 0),
    ('2001:db8:0:1::40/64', ('2001:db8:1::41', '2001:db8:2::42', '2001:db8:4::44'), EVEN, 'all',
     (1, 0, 0), 0),
    # The farthest has the largest share but is never alone; the nearest is in 2 x .26 of all.
    (CLIENT, NEAR, UNEVEN, 'membership', (.52, .48, 0), .06),
    (CLIENT, NEAR, UNEVEN, 'single', UNEVEN, .06),
    # In another network, or with no bit in common, they keep their order; 5 standard deviations.
    ('198.51.100.64/24', NEAR, EVEN, 'all', EVEN, .17),
    ('2001:db8:1::40/64', NEAR6, EVEN, 'all', EVEN, .17),
    ('192.0.2.164/24', NEAR, EVEN, 'all', EVEN, .17)])
def test_getaddrinfo_puts_the_nearest_address_first(client, addresses, shares, mode, expected, off):
    counts = firsts(client, addresses, shares, mode)
    assert [count / LOOKUPS for count in counts] == pytest.approx(expected, abs=off)
    assert all(not count for count, share in zip(counts, expected, strict=True) if not share)


# -- in the namespaces


def looked_up(client, shares, options):
    """Return {address: getaddrinfo calls that have it first}; runs in a namespace of its own."""
    from support.lb_dns import LbDnsServer
    for words in ('link set lo up', 'link add own type veth peer name other', 'link set other up',
                  'link set own up', f'address add {client} dev own' + ' nodad' * (':' in client),
                  f'{"-6" if ":" in client else "-4"} route add default dev own'):
        subprocess.run(['ip', *words.split()], check=True)
    with LbDnsServer(ZONE, shares, options, port=53) as server:
        for path, text in (RESOLV, f'nameserver {server.ip}\n'), (NSSWITCH, 'hosts: dns\n'):
            own = server.folder / os.path.basename(path)
            own.write_text(text)
            if os.path.exists(path):
                subprocess.run(['mount', '--bind', own, path], check=True)
        return Counter(
            socket.getaddrinfo(NAME, 80, type=socket.SOCK_STREAM)[0][4][0]
            for _lookup in range(LOOKUPS))


if __name__ == '__main__':
    print(json.dumps(looked_up(*json.loads(sys.argv[1]))))
