"""The costs of an agent among many: processor time, and bytes a second.

    python test/bench/agents.py                 100 real agents; limits: 1 % of a core, 1 Mbit/s
    python test/bench/agents.py --growth        one real agent among 10, 30, 100, 200 and 300; the
                                                others are simulated by one process, which signs

Loopback addresses; 28 bytes of headers are added to each datagram. Exits with 1 over a limit.
"""
import argparse
import functools
import pathlib
import re
import socket
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.agents import KEY, PORT, Agents

from swift_lb.clock import monotonic, sleep, wall
from swift_lb.model import Report
from swift_lb.wire import node_report, signature

HEADERS = 28            # bytes of IPv4 and UDP
MAX_CPU, MAX_BITS = 0.01, 1e6
GROWTH = (10, 30, 100, 200, 300)
METRICS = {'cpu': .3123, 'memory': .5021, 'network': .0112, 'disk': .1021, 'disk_queue': .51,
           'load': .2, 'in_flight': 3., 'requests': 41., 'response_time': .0123}


def counters(agents, name):
    """Return {name, such as bytes_sent: value} of the counters of the agent `name`."""
    _status, body = agents.ask(name, '/metrics')
    return {match[1]: float(match[2]) for match in re.finditer(
        r'^swift_lb_agent_(\w+)_total ([\d.e+]+)$', body.decode(), re.MULTILINE)}


def measured(agents, names, seconds, meanwhile=sleep):
    """Return [(fraction of a core, bits/s sent, bits/s received)], one for each agent in `names`.

    It measures while `meanwhile(seconds)` runs, by default a sleep.
    """
    before = {name: (agents.cpu_seconds(name), counters(agents, name)) for name in names}
    began = monotonic()
    cpu_before = {name: agents.cpu_seconds(name) for name in names}
    meanwhile(seconds)
    cpu = {name: agents.cpu_seconds(name) - cpu_before[name] for name in names}
    elapsed = monotonic() - began
    results = []
    for name in names:
        after = counters(agents, name)
        bits = [8 * (after[f'bytes_{way}'] - before[name][1][f'bytes_{way}'] + HEADERS * (
            after[f'datagrams_{way}'] - before[name][1][f'datagrams_{way}'])) / elapsed
            for way in ('sent', 'received')]
        results.append((cpu[name] / elapsed, *bits))
    return results


def play(others, target, seconds):
    """Send a report of each node named in `others` to `target`, (ip, port), every second."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind((target[0].rsplit('.', 1)[0] + '.249', 0))
    epoch, until, sequence = int(wall() * 1e6), monotonic() + seconds, 0
    neighbours = [node_report.Neighbour(others[0], target[0], PORT)]
    while monotonic() < until:
        sequence += 1
        due = monotonic()
        for name in others:
            report = Report(name, epoch, sequence, wall(), 1.0, METRICS, proxy='127.0.0.1:8080',
                            weight=.912345, keep=.75, take=.123456, digest='0123456789abcdef',
                            rules='01234567', generation=123456)
            sender.sendto(signature.sign(KEY.encode(), node_report.encode(report, neighbours)),
                          target)
            due += 1 / len(others)
            sleep(max(0.0, due - monotonic()))


def growth(seconds):
    """Print the costs of one agent in clusters of 10 to 300 nodes, for `seconds` in each."""
    print(f'{"nodes":>6} {"% of a core":>12} {"us a node":>10} {"Mbit/s in":>10}')
    for count in GROWTH:
        with Agents(1, peers=lambda _name: []) as agents:
            agents.start()
            agents.wait_for_agreement(agents.names)
            others = [f'other-{number}' for number in range(2, count + 1)]
            played = functools.partial(play, others, (agents.ips['node-1'], PORT))
            played(4)
            (cpu, _sent, received), = measured(agents, agents.names, seconds, played)
        print(f'{count:6} {100 * cpu:12.2f} {1e6 * cpu / count:10.0f} {received / 1e6:10.3f}')


def all_real(count, seconds):
    """Print the costs of `count` real agents in `seconds`; return whether they keep the limits."""
    with Agents(count) as agents:
        agents.start()
        took = agents.wait_for_agreement(agents.names, seconds=300)
        print(f'{count} agents agree {took:.1f} s after the first was started')
        sleep(10)
        results = measured(agents, agents.names, seconds)
    cpu, sent, received = zip(*results, strict=True)
    most = max(statistics.median(sent), statistics.median(received))
    for what, values, unit, factor in (('of a core', cpu, '%', 100), ('sent', sent, 'Mbit/s', 1e-6),
                                       ('received', received, 'Mbit/s', 1e-6)):
        print(f'{what:>10}: median {factor * statistics.median(values):.3f} {unit}, '
              f'most {factor * max(values):.3f} {unit}')
    return statistics.median(cpu) <= MAX_CPU and most <= MAX_BITS


def main():
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--nodes', type=int, default=100)
    parser.add_argument('--seconds', type=float, default=30.0)
    parser.add_argument('--growth', action='store_true')
    args = parser.parse_args()
    if args.growth:
        growth(args.seconds)
        return 0
    return 0 if all_real(args.nodes, args.seconds) else 1


if __name__ == '__main__':
    sys.exit(main())
