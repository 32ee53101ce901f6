"""Predicted seconds of reads from another cluster, beside the seconds that they take on real links.

    python test/bench/clusters predictions [--repeats N] [--links LIST]

Two labs in two sites, ksu and ucsb; needs root. For each link and size, a client in ksu reads an
object that only ucsb has: directly, on a new connection, as after a redirect; and by way of its own
cluster, which fetches it on an idle connection. Each is the median of the repeats, after two reads
that do not count. Predictions are those of swift_lb/dispatch/cost.py, with the link's options, and
with the seconds that ucsb needs to the head, measured by a client there.

Prints a line for each, the median and the 90th percentile of the relative errors, and exits with 1
if the median is over 15 %, the 90th percentile over 40 %, or the median of bodies of 100 kB and
more over 10 %.
"""
import argparse
import json
import math
import statistics
import sys

from support.wide_area import at, sites_with_labs

from swift_lb.clock import monotonic, sleep
from swift_lb.clusters_file import read
from swift_lb.dispatch import cost
from swift_lb.dispatch.clusters import alive
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.wan import wan

LINKS = {       # name: (seconds of the round trip, bits per second)
    '30ms,100M': (0.03, 100e6), '80ms,20M': (0.08, 20e6), '200ms,5M': (0.2, 5e6)}
SIZES = 10_000, 100_000, 1_500_000
LARGE = 100_000         # bytes from which the error must be smaller
PAYLOAD = 1448 / 1500   # of a packet
HERE = cost.Way(0.0, math.inf)      # from the client to the cluster of its own site
DISCARDED = 2
LIMITS = {'median': 0.15, '90th percentile': 0.40, 'median of 100 kB and more': 0.10}
CLIENT = '''
import json, sys, time
from http.client import HTTPConnection
ip, path, count, token = sys.argv[1:]
times = []
for _time in range(int(count)):
    begun = time.monotonic()
    connection = HTTPConnection(ip, 8080, timeout=120)
    connection.request('GET', path, headers={'X-Auth-Token': token})
    answer = connection.getresponse()
    head = time.monotonic() - begun
    body = answer.read()
    times.append((head, time.monotonic() - begun, answer.status, len(body)))
    connection.close()
print(json.dumps(times))
'''


class Pair:
    """The two labs, and a client in each of their sites."""

    def __init__(self, labs, repeats):
        self._labs, self._repeats = labs, repeats
        self._tokens = {site: str(lab.token()) for site, lab in labs.items()}

    def prepare(self):
        """Make a public container in both clusters, and objects in ucsb; wait for a summary."""
        for site in self._labs:
            for container, meta in (('c', 'ksu, ucsb'), ('own', '')):
                self._put(site, container, {'X-Container-Read': '.r:*',
                                            'X-Container-Meta-Lb-Clusters': meta})
        for size in SIZES:
            self._put('ucsb', f'c/{size}', {}, size)
        until = monotonic() + 60.0
        path = self._labs['ksu'].directory / 'run' / 'clusters-1.json'
        while not alive(read(path)[0], monotonic()):
            if monotonic() > until:
                sys.exit('clusters: ksu has not heard ucsb within a minute')
            sleep(0.1)

    def _put(self, site, name, headers, size=0):
        script = ('import sys, json\nfrom urllib.request import Request, urlopen\n'
                  'url, headers, size = sys.argv[1:]\n'
                  'urlopen(Request(url, b"x" * int(size), json.loads(headers), method="PUT"))')
        at(site, sys.executable, '-c', script, f'{self._labs[site].storage_url()}/{name}',
           json.dumps(headers | {'X-Auth-Token': self._tokens[site]}), str(size))

    def seconds(self, source, target, name, status=200):
        """Return the median (seconds to the head, to the end) of reads in site `source`.

        They go to the proxy of the cluster `target`, and must have this `status`.
        """
        lab = self._labs[target]
        host = lab.endpoint.split('/')[2].partition(':')[0]
        results = json.loads(at(source, sys.executable, '-c', CLIENT, host,
                                f'/v1/AUTH_test/{name}', str(self._repeats + DISCARDED), ''))
        if wrong := {one[2] for one in results} - {status}:
            sys.exit(f'clusters: {name} of {target} is answered with {wrong}')
        return tuple(statistics.median(column) for column in list(zip(
            *results[DISCARDED:], strict=True))[:2])


def predictions(pair, link):
    """Yield (size, way, predicted seconds, measured seconds) over a `link` of LINKS."""
    rtt, rate = link
    far = cost.Way(rtt, rate / 8 * PAYLOAD)
    absent, _end = pair.seconds('ksu', 'ksu', 'own/nothing', 404)
    for size in SIZES:
        head, _end = pair.seconds('ucsb', 'ucsb', f'c/{size}')
        _head, direct = pair.seconds('ksu', 'ucsb', f'c/{size}')
        yield size, 'redirect', cost.redirect(head, size, HERE, far), direct
        _head, fetched = pair.seconds('ksu', 'ksu', f'c/{size}')
        yield size, 'fetch', absent + cost.fetch(
            head, size, HERE, cost.to_client(size, HERE), far, cost.WARM), fetched


def figures(errors):
    """Return {name in LIMITS: relative error} of [(size, relative error)]."""
    every = sorted(error for _size, error in errors)
    large = [error for size, error in errors if size >= LARGE]
    return dict(zip(LIMITS, (statistics.median(every), every[math.ceil(0.9 * len(every)) - 1],
                             statistics.median(large)), strict=True))


def main(words):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--repeats', type=int, default=5, metavar='N')
    parser.add_argument('--links', default=' '.join(LINKS), help='some of: %(default)s')
    args = parser.parse_args(words)
    specs = [LabSpec(name=f'bench-{site}', site=site, nodes=1, replicas=1, dispatch=True,
                     log_level='WARNING') for site in ('ksu', 'ucsb')]
    errors = []
    with sites_with_labs('[link ksu ucsb]\n', specs) as labs:
        pair = Pair(labs, args.repeats)
        pair.prepare()
        print(f'{"link":<12}{"bytes":>10} {"way":<10}{"predicted":>10}{"measured":>10}{"error":>8}')
        for name in args.links.split():
            rtt, rate = LINKS[name]
            wan.change([f'rtt={rtt}', f'rate={rate:.0f}'])
            for size, way, predicted, measured in predictions(pair, LINKS[name]):
                error = predicted / measured - 1
                errors.append((size, abs(error)))
                print(f'{name:<12}{size:>10,} {way:<10}{1e3 * predicted:>7.0f} ms'
                      f'{1e3 * measured:>7.0f} ms{error:>8.0%}', flush=True)
    results = figures(errors)
    for name, value in results.items():
        print(f'{name}: {value:.1%}, limit {LIMITS[name]:.0%}')
    return int(any(value > LIMITS[name] for name, value in results.items()))

