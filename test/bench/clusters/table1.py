"""The reads of files of H-SWEB, Table 1 and Figure 10: client x data, with tier 4 and without.

    python test/bench/clusters table1 [--seconds S] [--rounds N] [--link RTT,RATE]

One Swift with regions in two sites, ksu and ucsb, and a storage policy for each, whose objects are
only there. Clients in either site ask the proxy of ksu, on connections that they keep, for objects
in either. Tier 4 is off for containers with X-Container-Meta-Lb-Clusters: none. Runs with and
without it alternate. Prints each cell's medians over the rounds of mean seconds, the improvement
(without / with - 1) and the fraction of reads that were redirected; the paper's numbers are beside
the means. Exits with 1 if the mean improvement where data are away, in ucsb, is below the paper's,
or if that of a cell where data are at hand, in ksu, is below -2 %.
"""
import argparse
import statistics
from collections import Counter

from bench.clusters.reading import reads
from bench.clusters.stored import put
from support.wide_area import sites_with_labs

from swift_lb.clock import monotonic, sleep
from swift_lb.clusters_file import read
from swift_lb.lab.spec import LabSpec

SIZES = {10_000: 2, 1_500_000: 1}       # bytes: clients at once
PAPER = {10_000: 1.12, 1_500_000: 1.22}     # mean improvement, Figure 10
WORST_AT_HAND = -0.02
CLIENTS, DATA = ('ksu', 'ucsb'), {'ksu': 'region1', 'ucsb': 'region2'}
PATIENCE = 120.0        # seconds until links and times are known, and forecasts sure
SURE = 0.15             # error of a forecast


class Regions:
    """The lab, with a container for each place of data, with tier 4 and without."""

    def __init__(self, lab):
        self._lab, self._token = lab, str(lab.token())
        self.url = lab.storage_url()

    def prepare(self):
        """Store all objects; let every worker learn containers, links, paths and times."""
        for place, policy in DATA.items():
            for tier4, meta in (('on', ''), ('off', 'none')):
                name = f'{place}-{tier4}'
                self._put(name, b'', {'X-Storage-Policy': policy, 'X-Container-Read': '.r:*',
                                      'X-Container-Meta-Lb-Clusters': meta})
                for size in SIZES:
                    self._put(f'{name}/{size}', b'x' * size, {})
        until = monotonic() + PATIENCE
        while not self._is_known():
            if monotonic() > until:
                raise SystemExit('clusters: times and bandwidths are not known after '
                                 f'{PATIENCE:.0f} s')
            for client in CLIENTS:      # of the proxies of both sites: they learn its ways
                for endpoint in self._lab.endpoints:
                    url = self.url.replace(self._lab.endpoint, endpoint)
                    reads(client, f'{url}/ucsb-off/1500000', 1_500_000, 1, 0.1)
        while not self._is_sure() and monotonic() < until:
            sleep(1.0)

    def _is_sure(self):
        """Return whether the link was measured without other load, so that its error is small."""
        known, _fault = read(self._lab.directory / 'run' / 'clusters-1.json')
        link = known.links['ucsb']
        return link.bandwidth_error is not None and (
            link.bandwidth_error <= SURE * link.bandwidth and link.error <= SURE * link.rtt)

    def _is_known(self):
        known, _fault = read(self._lab.directory / 'run' / 'clusters-1.json')
        link = known and known.links.get('ucsb')
        return bool(link and link.bandwidth and 'small' in known.times.get('ucsb', {})
                    and len(known.paths.get('ucsb', ())) >= len(CLIENTS))

    def _put(self, name, body, headers):
        put(self.url, self._token, name, body, headers)


def cell(regions, client, data, size, args):
    """Return {'on' or 'off': [mean seconds of a round]}, and a Counter of redirects with 'on'."""
    means, redirected = {'on': [], 'off': []}, Counter()
    for number in range(args.rounds):
        for tier4 in ('off', 'on') if number % 2 else ('on', 'off'):
            url = f'{regions.url}/{data}-{tier4}/{size}'
            rows = reads(client, url, size, SIZES[size], args.seconds)
            means[tier4].append(statistics.mean(took for took, _redirects in rows))
            if tier4 == 'on':
                redirected.update(redirects for _took, redirects in rows)
    return means, redirected


def main(words):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog='table1')
    parser.add_argument('--seconds', type=float, default=10.0, help='of a run (default: 10)')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--link', default='80ms,20M', help='round trip, bits per second')
    args = parser.parse_args(words)
    rtt, rate = args.link.split(',')
    spec = LabSpec(name='table1', site='ksu,ucsb', regions=2, nodes=1, replicas=2, dispatch=True,
                   log_level='WARNING')
    failed = False
    with sites_with_labs(f'[link ksu ucsb]\nrtt = {rtt}\nrate = {rate}\n', [spec]) as labs:
        regions = Regions(labs[spec.site])
        regions.prepare()
        print(f'{"bytes":>9} {"client":<7}{"data":<7}{"without":>10}{"with":>10}{"improved":>10}'
              f'{"redirected":>12}')
        for size in SIZES:
            gains = {place: [] for place in DATA}
            for data in DATA:
                for client in CLIENTS:
                    means, redirected = cell(regions, client, data, size, args)
                    off, on = (statistics.median(means[tier4]) for tier4 in ('off', 'on'))
                    gains[data].append(off / on - 1)
                    share = redirected[1] / max(1, redirected.total())
                    print(f'{size:>9,} {client:<7}{data:<7}{1e3 * off:>7.0f} ms{1e3 * on:>7.0f} ms'
                          f'{off / on - 1:>10.0%}{share:>12.0%}', flush=True)
            away = statistics.mean(gains['ucsb'])
            print(f'{size:,} bytes, data away: mean improvement {away:.0%}, in the paper '
                  f'{PAPER[size]:.0%}; at hand {min(gains["ksu"]):.0%} at least')
            failed |= away < PAPER[size] or min(gains['ksu']) < WORST_AT_HAND
    return int(failed)
