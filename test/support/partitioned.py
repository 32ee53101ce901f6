"""Run three proxies in a new network namespace, and cut one host off from the other two.

    unshare -n python test/support/partitioned.py      prints the results of clients, as JSON

Each proxy and its agent stand for a host. A queue of the namespace's loopback interface drops the
packets between hosts silently, so the machine's network is unchanged. Clients reach all hosts.
"""
import contextlib
import json
import subprocess
import sys
from pathlib import Path

if __name__ == '__main__':
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.cluster import eventually
from support.dispatch_lab import many_proxies
from support.dispatch_load import BODY, Asking
from swift_lb.model import GONE

COMMAND = 'unshare', '-n', sys.executable, __file__
TRY = 'unshare', '-n', 'sh', '-c', 'ip link set lo up && tc qdisc add dev lo root htb default 1'
AWAY = 3            # the proxy that is cut off
BEFORE, WHILE, ALONE = 40, 80, 20       # requests
# Packets of class 4 are larger than its bucket of 10 bytes, and dropped.
QUEUES = ('qdisc add dev lo root handle 1: htb default 1',
          'class add dev lo parent 1: classid 1:1 htb rate 100gbit quantum 60000',
          'class add dev lo parent 1: classid 1:4 htb rate 8bit',
          'qdisc add dev lo parent 1:4 handle 40: tbf rate 8bit burst 10 limit 10')
DROP = 'filter add dev lo parent 1: pref 1 protocol ip u32 {} flowid 1:4'


def tc(words):
    subprocess.run(['tc', *words.split()], check=True, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def cut_off(proxies):
    """Drop the packets between host AWAY and the others inside the `with`; clients reach all."""
    agent = proxies.lab.processes[f'agent-{AWAY}'].ip
    ip, port = proxies.address(AWAY)
    for one in QUEUES:
        tc(one)
    for match in (f'match ip src {agent}/32', f'match ip dst {agent}/32',
                  f'match ip src {ip}/32 match ip dst {ip}/32 match ip dport {port} 0xffff',
                  f'match ip src {ip}/32 match ip dst {ip}/32 match ip sport {port} 0xffff'):
        tc(DROP.format(match))
    try:
        yield
    finally:
        tc('qdisc del dev lo root')


def delegated(proxies, proxy, to):
    """Return how many requests proxy number `proxy` has delegated to proxy number `to`."""
    return sum(count for name, count in proxies.dispatched(proxy).items()
               if name.startswith('delegated ') and f'proxy-{to}' in name)


def known(proxies, proxy):
    """Return {name: state} of the peers that proxy number `proxy` knows."""
    return {backend['name']: backend['state'] for backend in proxies.page(proxy)['backends']}


def is_gone(proxies, proxy, other):
    """Return whether proxy number `proxy` shows proxy number `other` as GONE, or not at all."""
    return all(state == GONE for name, state in known(proxies, proxy).items()
               if f'proxy-{other}' in name)


def main():
    """Print the delegations and failures before, during and after the partition, as JSON."""
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
    proxies, results = many_proxies('partitioned', 3), {}
    try:
        proxies.put('/c')
        proxies.put('/c/object', BODY)
        assert not is_gone(proxies, 1, AWAY), known(proxies, 1)
        with Asking(proxies, proxies.base + '/c').running() as asking:
            asking.more(BEFORE)
            results['before'] = delegated(proxies, 1, AWAY)
            with cut_off(proxies):
                asking.more(WHILE)
                results['gone'] = eventually(lambda: is_gone(proxies, 1, AWAY), 60)
                since = delegated(proxies, 1, AWAY)
                results['alone'] = [
                    proxies.ask('GET', proxies.base + '/c/object', proxy=AWAY).status
                    for _request in range(ALONE)]
                asking.more(WHILE)
                results['while'] = delegated(proxies, 1, AWAY) - since
            results['back'] = eventually(lambda: delegated(proxies, 1, AWAY) > since + 5, 60)
        results['failures'] = asking.failures
    finally:
        proxies.lab.down()
    print(json.dumps(results))


if __name__ == '__main__':
    main()
