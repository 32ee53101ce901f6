"""Seconds until reads are served at home after a fault, and until they leave again after it.

    python test/bench/clusters faults [--seconds S]

Two labs in two sites; needs root. Reads of ksu leave for ucsb, since ksu's disk is slow; each fault
lasts S seconds, 30 by default, while clients read all the time. Summaries come every 2 seconds, as
by default. Prints a line for each fault: the seconds until reads are served at home, and until they
leave again; the reads since the fault began; how many of these failed, and how many of the failed
ones began after the fault; and the seconds of the longest read. Exits with 1 if a read failed that
began after the fault, or if one of the first two took more than 10 seconds.
"""
import argparse
import math

from support.cluster import eventually
from support.cluster_faults import HERE, PROXIES, RTT, THERE, faulty_clusters, set_clocks

from swift_lb.clock import monotonic
from swift_lb.lab.wan import wan

LIMIT, HOUR = 10.0, 3600.0      # seconds
NUMBERS = range(1, PROXIES + 1)


def faults(labs):
    """Yield (name, function that makes a fault, function that ends it)."""
    yield 'the link is cut', lambda: wan.change(['down']), lambda: wan.change(['up'])
    yield ('round trip x 10', lambda: wan.change([f'rtt={10 * RTT}']),
           lambda: wan.change([f'rtt={RTT}']))
    there, here = labs[THERE], labs[HERE]
    yield ('proxies there killed', lambda: each(there.stop_proxy), lambda: each(there.start_proxy))
    yield ('agents there killed', lambda: each(there.stop_agent), lambda: each(there.start_agent))
    yield 'agents here killed', lambda: each(here.stop_agent), lambda: each(here.start_agent)
    yield ('clocks there + 1 h', lambda: set_clocks(there, HOUR), lambda: set_clocks(there, 0.0))
    yield ('clocks here - 1 h', lambda: set_clocks(here, -HOUR), lambda: set_clocks(here, 0.0))


def each(function):
    """Call `function` with the number of each proxy."""
    for number in NUMBERS:
        function(number)


def measured(clusters, begin, end, seconds):
    """Return (seconds until at home, until away again, SeenReads since the fault, its instant).

    `begin()` makes the fault, `end()` ends it after `seconds`.
    """
    begin()
    begun = monotonic()
    home = clusters.seconds_until(HERE)
    eventually(lambda: monotonic() >= begun + seconds, seconds)
    end()
    away = clusters.seconds_until(THERE)
    return home, away, [one for one in clusters.reads if one.ended >= begun], begun


def main(words):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog='faults')
    parser.add_argument('--seconds', type=float, default=30.0, help='of a fault (default: 30)')
    args, wrong = parser.parse_args(words), 0
    with faulty_clusters() as clusters:
        if clusters.seconds_until(THERE) == math.inf:
            raise SystemExit('clusters: no reads leave ksu')
        print(f'{"fault":<22}{"at home":>9}{"away again":>12}{"reads":>7}{"failed":>8}{"later":>7}'
              f'{"longest":>10}')
        for name, begin, end in faults(clusters.labs):
            home, away, reads, begun = measured(clusters, begin, end, args.seconds)
            failed = [one for one in reads if one.fault]
            later = [one for one in failed if one.begun > begun]
            longest = max(one.ended - one.begun for one in reads)
            print(f'{name:<22}{home:>7.1f} s{away:>10.1f} s{len(reads):>7}{len(failed):>8}'
                  f'{len(later):>7}{longest:>8.1f} s', flush=True)
            wrong += bool(later) or max(home, away) > LIMIT
    return int(wrong > 0)

