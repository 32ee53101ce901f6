"""The policies of clusters beside each other: links x sizes x places of data, clients and loads.

    python test/bench/clusters matrix [--seconds S] [--links LIST] [--cells LIST]

One Swift with regions in two sites, ksu and ucsb; proxies read in their own region first. In ksu is
a proxy for each policy; all ask the same agent. In a cell, clients read an object by way of one
proxy after another, TURN seconds each, in random order. There are at least ROUNDS of such rounds,
and at least S seconds for each policy. The name of a cell says where the data and the clients are:

    away, both      the data are only in ucsb, or in both regions
    near, far       the client is in ksu, where the proxies are, or in ucsb
    slow            4 near clients, while the storage node of ksu serves one read at a time, in SLOW
                    seconds. A turn takes SLOW_TURN seconds, and the first UNCOUNTED rounds do not
                    count, since policies learn in these how slow the node is

Data that are only in ksu are read there by every policy: see table1. `on_absent` is left out: since
nothing is absent, it does what `local` does.

Prints each policy's mean milliseconds, and `adaptive` over the best of the others in the cell, with
its standard error; then the geometric mean of each policy's seconds over those of `local`. Exits
with 1 if in a cell adaptive is over CELL x the best other by more than two standard errors, or if
its geometric mean is over ALL x that of the best other policy. A link takes some six minutes.
"""
import argparse
import math
import statistics

from bench.clusters.following import follow
from bench.clusters.proxies import start
from bench.clusters.reading import turns
from bench.clusters.stored import put
from support.wide_area import sites_with_labs

from swift_lb.lab.spec import LabSpec
from swift_lb.policy.clusters import CLUSTER_POLICIES

OURS, PLAIN = 'adaptive', 'local'
POLICIES = [name for name in CLUSTER_POLICIES if name != 'on_absent']
LINKS = '30ms,100M', '80ms,20M', '200ms,10M'    # round trip, bits per second
SIZES = 10_000, 100_000, 1_500_000
CELLS = {       # name: (policy of the container's storage, site of the clients, clients)
    'away near': ('region2', 'ksu', 1),
    'away far': ('region2', 'ucsb', 1),
    'both near': ('gold', 'ksu', 1),
    'both far': ('gold', 'ucsb', 1),
    'both slow': ('gold', 'ksu', 4),
}
TURN, ROUNDS = 0.15, 2      # seconds
SLOW, SLOW_TURN, UNCOUNTED = 0.15, 1.0, 2       # seconds, seconds, rounds
CELL, ALL = 1.05, 0.8


def prepare(lab, urls):
    """Store the objects, and let each proxy learn its containers and their objects' sizes."""
    token = str(lab.token())
    for storage in {storage for storage, _site, _clients in CELLS.values()}:
        put(lab.storage_url(), token, storage, b'', {'X-Storage-Policy': storage,
                                                     'X-Container-Read': '.r:*'})
        for size in SIZES:
            put(lab.storage_url(), token, f'{storage}/{size}', b'x' * size, {})
    used(urls)


def used(urls):
    """Read each object once by way of each proxy."""
    for storage in {storage for storage, _site, _clients in CELLS.values()}:
        for size in SIZES:
            turns('ksu', [f'{url}/{storage}/{size}' for url in urls.values()], size, 1, 0.0, 1)


def cell(lab, urls, name, size, seconds):
    """Return {policy: seconds of its reads} in the cell `name` with objects of `size` bytes."""
    storage, site, clients = CELLS[name]
    each, small = ([f'{url}/{storage}/{one}' for url in urls.values()] for one in (size, SIZES[0]))
    turn = TURN
    if name.endswith('slow'):
        turn = SLOW_TURN
        lab.handicap(node=1, slots=1, mean=SLOW, dist='constant')
        turns(site, each, size, clients, turn, UNCOUNTED)
    rows = turns(site, each, size, clients, turn, ROUNDS, seconds * len(each), small)
    lab.handicap(clear=True)
    return dict(zip(urls, ([took for took, _redirects in one] for one in rows), strict=True))


def compared(seconds):
    """Return (adaptive's mean over the best other's, its standard error, the best other)."""
    means = {policy: statistics.fmean(values) for policy, values in seconds.items()}
    best = min((policy for policy in means if policy != OURS), key=means.get)
    ratio = means[OURS] / means[best]
    errors = (statistics.stdev(seconds[policy]) / math.sqrt(len(seconds[policy])) / means[policy]
              for policy in (OURS, best))
    return ratio, ratio * math.hypot(*errors), best


def measured(link, cells, seconds):
    """Yield (cell, size, {policy: seconds of its reads}) with a lab whose link is `link`."""
    rtt, rate = link.split(',')
    spec = LabSpec(name='matrix', site='ksu,ucsb', regions=2, nodes=1, replicas=2, dispatch=True,
                   read_affinity=True, log_level='WARNING', proxy_options={'conn_timeout': '3'})
    with sites_with_labs(f'[link ksu ucsb]\nrtt = {rtt}\nrate = {rate}\n', [spec]) as labs:
        lab = labs[spec.site]
        urls = start(lab, POLICIES)
        prepare(lab, urls)
        link_words = follow(lab, urls['always_fetch'], f'region2/{SIZES[-1]}', SIZES[-1])
        used(urls)      # by what is known now: so that all proxies' connections have carried bodies
        print(f'{link}: {link_words}\n'
              + ' ' * 22 + ''.join(f'{policy[:8]:>9}' for policy in POLICIES), flush=True)
        for name in cells:
            for size in SIZES:
                yield name, size, cell(lab, urls, name, size, seconds)


def show(table):
    """Print the geometric means of {(cell, ...): {policy: mean}}; return whether ALL is missed."""
    overall = {policy: statistics.geometric_mean(
        means[policy] / means[PLAIN] for means in table.values()) for policy in POLICIES}
    best = min((policy for policy in POLICIES if policy != OURS), key=overall.get)
    print('geometric means, as a multiple of local: ' + ', '.join(
        f'{policy} {overall[policy]:.2f}' for policy in sorted(overall, key=overall.get)))
    ratio = overall[OURS] / overall[best]
    print(f'{OURS} takes {ratio:.2f} x the seconds of {best}; the goal is {ALL} or less')
    return ratio > ALL


def main(words):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog='matrix')
    parser.add_argument('--seconds', type=float, default=0.4)
    parser.add_argument('--links', default=' '.join(LINKS), help='RTT,RATE ... (%(default)s)')
    parser.add_argument('--cells', default=','.join(CELLS), help='some of: %(default)s')
    args = parser.parse_args(words)
    table, missed = {}, []
    for link in args.links.split():
        for name, size, seconds in measured(link, args.cells.split(','), args.seconds):
            means = table[link, name, size] = {
                policy: statistics.fmean(values) for policy, values in seconds.items()}
            ratio, error, best = compared(seconds)
            print(f'{name:<10}{size:>11,} '
                  + ''.join(f'{1e3 * means[policy]:>9.1f}' for policy in POLICIES)
                  + f'  {ratio:.2f} +- {error:.2f} x {best}', flush=True)
            if ratio - 2 * error > CELL:
                missed.append(f'{link} {name} {size:,}')
    print(f'over {CELL} x the best other: {", ".join(missed) or "no cell"}')
    return int(show(table) or bool(missed))
