"""Queries per second of swift-lb-dns, beside PowerDNS, BIND, Knot and NSD of Debian.

    python test/bench/name_servers.py [--rounds 3] [--seconds 3] [--workers 1]

Takes 5 minutes. Each server has one core and dnsperf another; they take turns. swift-lb chooses 2
of 4 proxies with shares .4, .3, .2 and .1 from an instruction; PowerDNS one by the same weights, in
a Lua record for each query; BIND, Knot and NSD give all 4 to every client, without a choice: they
are the reference. The mixes of queries are

    same        the same query again and again, without EDNS
    cookie      the same with the server's cookie, as BIND and PowerDNS Recursor send
    mixed case  the same with DO and mixed case (0x20), as Unbound sends
    unique      COUNT names below a wildcard, one after the other, with DO
    nxdomain    the same, alternating with names that do not exist

Then each server gets `same` at half of swift-lb's rate, to measure the latency.

Exits with 1 if swift-lb answers less than 0.9 of BIND's rate in any mix, or less than 5/3 of
PowerDNS's, or if its p99 is above 1 ms.

`--servers 'Knot,BIND'` measures only these; the rate of latencies is then half of the first's.
"""
import argparse
import contextlib
import os
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import dns.edns
import dns.message
import dns.query
from support.authorities import Bind, Knot, Nsd, PowerDns
from support.dnsperf import dnsperf
from support.lb_dns import LbDnsServer
from support.name_server import missing

ZONE, NAME = 'lb.example.com', 'swift.lb.example.com'
SHARES = {'192.0.2.1': .4, '192.0.2.2': .3, '192.0.2.3': .2, '192.0.2.4': .1}
STATIC = [f'{name} A {ip}' for name in ('swift', '*.swift') for ip in SHARES]
WEIGHTS = ', '.join(f"{{{round(100 * share)}, '{ip}'}}" for ip, share in SHARES.items())
LUA = [f'{name} LUA A "pickwrandom({{ {WEIGHTS} }})"' for name in ('swift', '*.swift')]
OURS = 'swift-lb'
LEAST = {'PowerDNS Lua': 5 / 3, 'BIND': 0.9}    # ratios to the answers of others
LONGEST = 0.001                     # seconds, p99
COUNT = 50_000                      # of different questions
COOKIE = 10                         # the code of the option (RFC 7873)


def servers(core, workers):
    """Return {name: function that makes the server, bound to the CPU `core`}."""
    return {
        OURS: lambda: LbDnsServer(ZONE, SHARES, f'mode = membership\nworkers = {workers}',
                                  core=core),
        'PowerDNS Lua': lambda: PowerDns(ZONE, LUA, core=core),
        'BIND': lambda: Bind(ZONE, STATIC, core=core),
        'Knot': lambda: Knot(ZONE, STATIC, core=core),
        'NSD': lambda: Nsd(ZONE, STATIC, core=core)}


def mixes(rng):
    """Return {mix: ([question, such as 'name A'], whether they ask for DNSSEC records, DO)}."""
    cases = [''.join(rng.choice((one.lower(), one.upper())) for one in NAME)
             for _name in range(COUNT)]
    unique = [f'name-{number}.{NAME}' for number in range(COUNT)]
    absent = [f'name-{number}.{ZONE}' for number in range(COUNT)]
    named = {'same': ([NAME], False), 'cookie': ([NAME], False), 'mixed case': (cases, True),
             'unique': (unique, True),
             'nxdomain': ([name for both in zip(unique, absent, strict=True) for name in both],
                          True)}
    return {mix: ([f'{name} A' for name in names], signed)
            for mix, (names, signed) in named.items()}


def cookie_of(server):
    """Return the bytes of a DNS cookie: the client's, followed by what the server added, if any.
    """
    client = b'swift-lb'
    query = dns.message.make_query(NAME, 'A', use_edns=0, options=[
        dns.edns.GenericOption(COOKIE, client)])
    reply = dns.query.udp(query, server.ip, 5.0, server.port)
    given = [option.to_wire() for option in reply.options if option.otype == COOKIE]
    return given[0] if given else client


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--rounds', type=int, default=3, help='turns of each server')
    parser.add_argument('--seconds', type=int, default=3, help='of a turn')
    parser.add_argument('--workers', type=int, default=1, help='processes of swift-lb')
    parser.add_argument('--servers', default=','.join(servers(0, 1)), help='which, by comma')
    return parser.parse_args()


def turns(running, args, core, asked, mix, rate=None):
    """Ask each of `running`, {name: server}, `mix` by turns: {name: [DnsperfFigures a round]}."""
    rounds = {name: [] for name in running}
    questions, signed = asked[mix]
    for _ in range(args.rounds):
        for name, server in running.items():
            options = ['-D'] if signed else []
            if mix == 'cookie':
                options = ['-E', f'{COOKIE}:{cookie_of(server).hex()}']
            figures = dnsperf(server.ip, server.port, questions, args.seconds, rate=rate,
                              core=core, options=options)
            assert set(figures.codes) <= {'NOERROR', 'NXDOMAIN'}, (name, mix, figures)
            rounds[name].append(figures)
    return rounds


def median(rounds, what):
    """Return the median of the field called `what` of the DnsperfFigures `rounds`."""
    return statistics.median(getattr(one, what) for one in rounds)


def show(fast, latency, rate):
    """Print the tables of `fast`, {mix: result of turns()}, and `latency`, a result of turns().

    In `latency` dnsperf asked `rate` questions a second, in `fast` as many as it could."""
    print(f'{"answers a second":16}' + ''.join(f'{mix:>12}' for mix in fast) + f'{"lost":>8}')
    for name in latency:
        lost = sum(one.lost for rounds in fast.values() for one in rounds[name])
        print(f'{name:16}' + ''.join(f'{median(rounds[name], "qps"):12,.0f}'
                                     for rounds in fast.values()) + f'{lost:8}')
    for rival in LEAST:
        if {OURS, rival} <= set(latency):
            print(f'{"to " + rival:16}' + ''.join(
                f'{ratio(rounds, rival):12.2f}' for rounds in fast.values()))
    print(f'\n{f"at {rate:,.0f}/s":16}{"mean, ms":>12}{"p99, ms":>12}{"lost":>8}')
    for name, rounds in latency.items():
        print(f'{name:16}{1e3 * median(rounds, "average"):12.3f}'
              f'{1e3 * median(rounds, "p99"):12.3f}{sum(one.lost for one in rounds):8}')


def ratio(rounds, rival):
    """Return swift-lb's answers a second divided by `rival`'s; `rounds` is a result of turns()."""
    return median(rounds[OURS], 'qps') / median(rounds[rival], 'qps')


def main():
    """Measure and print the tables; return the exit status."""
    args = arguments()
    cores = sorted(os.sched_getaffinity(0))
    if fault := missing('pdns_server', 'named', 'knotd', 'nsd', 'dnsperf'):
        sys.exit(fault)
    if len(cores) < 2:
        sys.exit('one core for the server and one for dnsperf: there is only one')
    made, names = servers(cores[0], args.workers), args.servers.split(',')
    asked = mixes(random.Random(1))
    with contextlib.ExitStack() as stack:
        running = {name: stack.enter_context(made[name]()) for name in names}
        fast = {mix: turns(running, args, cores[1], asked, mix) for mix in asked}
        rate = median(fast['same'][names[0]], 'qps') / 2
        latency = turns(running, args, cores[1], asked, 'same', rate)
    show(fast, latency, rate)
    if OURS not in names:
        return 0
    return int(median(latency[OURS], 'p99') > LONGEST or any(
        ratio(rounds, rival) < least for rounds in fast.values()
        for rival, least in LEAST.items() if rival in names))


if __name__ == '__main__':
    sys.exit(main())
