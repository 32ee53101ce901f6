"""Questions a second that swift-lb-dns answers, beside PowerDNS, BIND and NSD of Debian.

    python test/bench/name_servers.py [--rounds 5] [--seconds 5] [--workers 1]

3 minutes. Each server has one core and dnsperf another; they take turns. Then each is asked half as
often as swift-lb can, which tells the latency. swift-lb chooses 2 of 4 proxies, of shares .4, .3,
.2 and .1, as an instruction says; PowerDNS one by the same weights, in a Lua record, anew for each
question; BIND and NSD say all 4 to everybody, which is no choice: they are the yardstick. All are
asked the same question again and again, and swift-lb then others as well.

Exits with 1 where swift-lb answers less than 5/3 of what PowerDNS does (45,000 a second where that
answers 27,000), or one answer in a hundred takes longer than 1 ms.

`swift-lb` can be left out: `--servers 'PowerDNS Lua,BIND,NSD'`; rates are then those of the first.
"""
import argparse
import contextlib
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.authorities import Bind, Nsd
from support.dnsperf import dnsperf
from support.lb_dns import LbDns
from support.name_server import missing
from support.powerdns import PowerDns

ZONE, NAME = 'lb.example.com', 'swift.lb.example.com'
SHARES = {'192.0.2.1': .4, '192.0.2.2': .3, '192.0.2.3': .2, '192.0.2.4': .1}
STATIC = [f'swift A {ip}' for ip in SHARES]
WEIGHTS = ', '.join(f"{{{round(100 * share)}, '{ip}'}}" for ip, share in SHARES.items())
LUA = [f'swift LUA A "pickwrandom({{ {WEIGHTS} }})"']
OURS, RIVAL = 'swift-lb', 'PowerDNS Lua'
LEAST, LONGEST = 5 / 3, 0.001       # ratio to the rival; seconds, p99
STRANGERS = 50_000                  # names, more than are remembered


def servers(core, workers):
    """Return {name: a function that makes the server}."""
    return {
        OURS: lambda: LbDns(ZONE, SHARES, f'mode = membership\nworkers = {workers}', core=core),
        RIVAL: lambda: PowerDns(ZONE, LUA, core=core),
        'BIND': lambda: Bind(ZONE, STATIC, core=core),
        'NSD': lambda: Nsd(ZONE, STATIC, core=core)}


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--rounds', type=int, default=5, help='turns of each server')
    parser.add_argument('--seconds', type=int, default=4, help='of a turn')
    parser.add_argument('--workers', type=int, default=1, help='processes of swift-lb')
    parser.add_argument('--servers', default=','.join(servers(0, 1)), help='which, by comma')
    return parser.parse_args()


def turns(running, args, core, rate=None):
    """Return {name: [Figures of each round]} of the servers, asked one after the other."""
    found = {name: [] for name in running}
    for _ in range(args.rounds):
        for name, server in running.items():
            figures = dnsperf(server.ip, server.port, [f'{NAME} A'], args.seconds, rate=rate,
                              core=core)
            assert set(figures.codes) == {'NOERROR'}, (name, figures)
            found[name].append(figures)
    return found


def median(rounds, what):
    """Return the median of one of the Figures, by its name."""
    return statistics.median(getattr(one, what) for one in rounds)


def show(running, fast, half, rate):
    """Print the table; return {name: (qps, p99)}."""
    told = {name: (median(fast[name], 'qps'), median(half[name], 'p99')) for name in running}
    print(f'{"":32}at {rate:,.0f} a second:\n{"":14}{"answers/s":>10}{"ratio":>8}{"lost":>6}'
          f'{"mean, ms":>10}{"p99, ms":>9}{"lost":>6}   addresses')
    for name, server in running.items():
        qps, p99 = told[name]
        ratio = f'{qps / told[RIVAL][0]:.2f}' if RIVAL in told else ''
        lost = [sum(one.lost for one in rounds[name]) for rounds in (fast, half)]
        mean = median(half[name], 'average')
        print(f'{name:14}{qps:10,.0f}{ratio:>8}{lost[0]:6}{1e3 * mean:10.3f}{1e3 * p99:9.3f}'
              f'{lost[1]:6}{len(server.ask(NAME).answer[0]):12}')
    return told


def show_strangers(server, args, core):
    """Print how many questions are answered that have not come before, for which nothing is ready.
    """
    names = [f'name-{number}.{NAME} A' for number in range(STRANGERS)]
    rounds = [dnsperf(server.ip, server.port, names, args.seconds, core=core)
              for _round in range(args.rounds)]
    print(f'{OURS}, each of {STRANGERS:,} names in turn: {median(rounds, "qps"):,.0f} a second')


def main():
    """Do as the command line says."""
    args = arguments()
    cores = sorted(os.sched_getaffinity(0))
    if fault := missing('pdns_server', 'named', 'nsd', 'dnsperf'):
        sys.exit(fault)
    if len(cores) < 2:
        sys.exit('one core for the server and one for dnsperf: there is only one')
    made, names = servers(cores[0], args.workers), args.servers.split(',')
    with contextlib.ExitStack() as stack:
        running = {name: stack.enter_context(made[name]()) for name in names}
        fast = turns(running, args, cores[1])
        rate = median(fast[names[0]], 'qps') / 2
        told = show(running, fast, turns(running, args, cores[1], rate), rate)
        if OURS in running:
            show_strangers(running[OURS], args, cores[1])
    if not {OURS, RIVAL} <= set(told):
        return 0
    return int(told[OURS][0] < LEAST * told[RIVAL][0] or told[OURS][1] > LONGEST)


if __name__ == '__main__':
    sys.exit(main())
