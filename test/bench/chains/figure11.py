"""Figure 11 of the H-SWEB paper: parts of images, with tier 4 and without, by the offered load.

    python test/bench/chains figure11 [--seconds S] [--levels L,...] [--parts a,b] [--out DIR]

One Swift with regions in two sites, ksu and ucsb, replicas and a decoder in both, and no cache.
Clients in ksu, which say nothing of themselves, ask the proxy of ksu for parts of images of
2048x2048 pixels, in bursts of S seconds:

    a   512x512 at full resolution; the decoder of each site may use 0.12 of a core
    b   half 512x512, half the whole image; that of ucsb may use 0.48, that of ksu 0.16

A level is the offered load, as a multiple of what the decoder of ksu alone can do, which is
measured at the start of a part. Decoders have so little processor time that they are the
bottleneck, and not this machine. Tier 4 is off for a container with X-Container-Meta-Lb-Clusters:
none; bursts with and without it alternate, and have the same requests at the same instants. A
request that is not answered within LIMIT seconds counts as so many. A level with few requests has
several bursts. All takes some 17 minutes.

Improvement is mean seconds off / mean seconds on - 1. Prints it for each level, and draws it with
--out. Exits with 1 if the mean over the levels is below the paper's, or one is below WORST.
"""
import argparse
import contextlib
import statistics
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.chains.bursts import LIMIT, SIDE, SMALL, WHOLE, arrivals, query_of, seconds_of
from bench.chains.figure11_drawing import draw
from bench.clusters.reading import reads
from bench.clusters.stored import put
from support import processor_quota, wide_area
from support.jpeg2000 import encoded, noise

from swift_lb.clock import monotonic, sleep
from swift_lb.clusters_file import read
from swift_lb.lab.conf import image_socket
from swift_lb.lab.spec import LabSpec
from swift_lb.service.decoders import answer_of

SITES = 'ksu', 'ucsb'
LINK = '[link ksu ucsb]\nrtt = 30ms\nrate = 50M\n'
CONTAINERS = {'off': 'none', 'on': ''}      # tier 4: X-Container-Meta-Lb-Clusters
IMAGES = tuple(f'{number}.j2k' for number in range(4))
BLOB = 1_500_000        # bytes, of an object that shows the bandwidth of the link
ALONE, SETTLING = 6, 2.5    # requests of each kind that show a decoder's rate; s between bursts
FIRST = 'lb_region=0,0,9,9'
PATIENCE, WORST = 120.0, -0.06
TURNS, LEAST = 3, 40    # of both bursts at a level, at most; and so many requests each, at least


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the figure."""

    name: str
    what: str
    kinds: tuple
    cores: dict             # site -> cores of its decoder
    paper: str
    goal: float             # mean improvement


PARTS = {one.name: one for one in (
    Part('a', 'uniform requests', (SMALL,), {'ksu': 0.12, 'ucsb': 0.12}, 'mean 18 %, peak 53 %',
         0.18),
    Part('b', 'heterogeneous requests', (SMALL, WHOLE), {'ksu': 0.16, 'ucsb': 0.48},
         'mean over 147 %, -6 % to over 250 %', 1.47))}


class LevelResult(NamedTuple):
    """One level of a part: mean seconds with tier 4 and without."""

    level: float
    requests: int
    seconds: dict           # 'off' and 'on' -> mean seconds
    left: float             # fraction of requests that ucsb decoded, with tier 4

    @property
    def improvement(self):
        """The improvement by tier 4, as a fraction."""
        return self.seconds['off'] / self.seconds['on'] - 1


class BurstResult(NamedTuple):
    """What came of one burst, or of several."""

    seconds: list           # of each request
    failures: list          # statuses with sentences
    away: int               # requests that ucsb decoded


def joined(bursts):
    """Return the BurstResult of all of a list."""
    seconds, failures, away = zip(*bursts, strict=True)
    return BurstResult([*chain(*seconds)], [*chain(*failures)], sum(away))


class TwoSites:
    """The lab, with images in containers with tier 4 and without."""

    def __init__(self, lab, quotas):
        """Take the Lab, and {site: the ProcessorQuota of its decoder}."""
        self._lab, self._quotas = lab, quotas
        self._addresses = {site: url.removeprefix('http://') for site, url in zip(
            SITES, lab.endpoints, strict=True)}
        self._account = lab.storage_url().removeprefix(lab.endpoint)

    def prepare(self):
        """Store all objects; wait until ksu knows the link to ucsb, and its decoder.

        Each proxy reads the index of each image: the first part of an image takes longer.
        """
        url, token = self._lab.storage_url(), str(self._lab.token())
        for name, clusters in CONTAINERS.items():
            put(url, token, name, b'', {'X-Container-Read': '.r:*',
                                        'X-Container-Meta-Lb-Clusters': clusters})
            for number, image in enumerate(IMAGES):
                put(url, token, f'{name}/{image}', encoded(noise('L', SIDE, SIDE, number)),
                    {'Content-Type': 'image/j2c'})
        put(url, token, 'off/blob', b'x' * BLOB, {})
        until = monotonic() + PATIENCE
        while not self._is_known():
            if monotonic() > until:
                raise SystemExit(f'chains: ksu knows no link to ucsb after {PATIENCE:.0f} s')
            reads('ksu', f'http://{self._addresses["ucsb"]}{self._account}/off/blob', BLOB, 1, 0.5)
        for site in SITES:
            for tier4 in CONTAINERS:
                self._ask(site, [f'{image}?{FIRST}' for image in IMAGES], tier4)

    def _is_known(self):
        known, _fault = read(self._lab.directory / 'run' / 'clusters-1.json')
        link = known and known.links.get('ucsb')
        return bool(link and link.bandwidth and 'ucsb' in known.others
                    and known.others['ucsb'].summary.image)

    def capacity(self, part):
        """Give the decoders their cores; return {site: requests a second that it can do}."""
        rates = {}
        for site in SITES:
            self._quotas[site].set(part.cores[site])
            rng, took = Random(0), []
            for kind in part.kinds:
                paths = [f'{IMAGES[0]}?{query_of(kind, rng)}' for _number in range(ALONE)]
                took.append(max(self._ask(site, paths, 'off')) / ALONE)     # one after another
            rates[site] = 1 / statistics.fmean(took)
        return rates

    def _ask(self, site, paths, tier4):
        """Return the seconds of requests that come to a site at once."""
        seconds, failures = seconds_of('ksu', self._addresses[site], [
            (0.0, path) for path in paths], f'{self._account}/{tier4}')
        if failures:
            raise SystemExit(f'chains: {site} answers parts of images with {failures}')
        return seconds

    def burst(self, tier4, requests):
        """Send a burst; return its BurstResult."""
        before = self._jobs('ucsb')['done']
        seconds, failures = seconds_of('ksu', self._addresses['ksu'], requests,
                                       f'{self._account}/{tier4}')
        self._drain()
        return BurstResult(seconds, failures, self._jobs('ucsb')['done'] - before)

    def _jobs(self, site):
        number = SITES.index(site) + 1
        return answer_of(str(image_socket(self._lab.directory, f'image-{number}')))

    def _drain(self):
        until = monotonic() + LIMIT
        while any(jobs['queued'] or jobs['running'] for jobs in map(self._jobs, SITES)):
            if monotonic() > until:
                raise SystemExit('chains: jobs are left at the decoders')
            sleep(0.2)
        sleep(SETTLING)


@contextlib.contextmanager
def two_sites():
    """Provide TwoSites, without limits of processor time at first."""
    spec = LabSpec(name='figure11', regions=2, nodes=1, replicas=2, dispatch=True, images=True,
                   image_options={'workers': '1', 'cache': '0', 'queue': '1000'},
                   log_level='WARNING')
    quotas = {}
    try:
        with wide_area.sites_with_labs(LINK, [spec]) as labs:
            lab, = labs.values()
            for number, site in enumerate(SITES, 1):
                quotas[site] = processor_quota.ProcessorQuota(
                    site, lab.processes[f'image-{number}'].pid)
            yield TwoSites(lab, quotas)
    finally:
        for quota in quotas.values():
            quota.remove()


def measured(sites, part, levels, seconds):
    """Yield the LevelResult of each level of a Part."""
    rates = sites.capacity(part)
    print(f'\n{part.name}: {part.what}; the decoder of ksu can do {rates["ksu"]:.2f} a second, '
          f'that of ucsb {rates["ucsb"]:.2f}\n{"level":>6}{"requests":>10}{"off s":>8}{"on s":>8}'
          f'{"improvement":>13}{"at ucsb":>9}  failures off, on', flush=True)
    for number, level in enumerate(levels):
        rate, bursts = level * rates['ksu'], {tier4: [] for tier4 in CONTAINERS}
        for turn in range(min(TURNS, ceil(LEAST / (rate * seconds)))):
            requests = arrivals(rate, seconds, part.kinds, IMAGES, TURNS * number + turn)
            for tier4 in sorted(CONTAINERS, reverse=(number + turn) % 2):
                bursts[tier4].append(sites.burst(tier4, requests))
        off, on = joined(bursts['off']), joined(bursts['on'])
        result = LevelResult(level, len(on.seconds), {
            'off': statistics.fmean(off.seconds), 'on': statistics.fmean(on.seconds)},
            on.away / len(on.seconds))
        print(f'{level:>6g}{result.requests:>10}{result.seconds["off"]:>8.2f}'
              f'{result.seconds["on"]:>8.2f}{result.improvement:>13.0%}{result.left:>9.0%}  '
              f'{off.failures}, {on.failures}', flush=True)
        yield result


def missed(part, results):
    """Print the mean of a part's LevelResults beside the paper's; return whether it is too low."""
    improvements = [one.improvement for one in results]
    mean, least = statistics.fmean(improvements), min(improvements)
    wrong = mean < part.goal or least < WORST
    print(f'{part.name}: mean {mean:.0%}, least {least:.0%}, peak {max(improvements):.0%}; the '
          f'paper: {part.paper}; goals: mean {part.goal:.0%}, least {WORST:.0%}: '
          f'{"missed" if wrong else "held"}', flush=True)
    return wrong


def options_of(words):
    """Return the options in the words of a command line."""
    parser = argparse.ArgumentParser(prog='chains figure11')
    parser.add_argument('--seconds', type=float, default=30.0, help='of a burst (%(default)s)')
    parser.add_argument('--levels', default='0.3,0.8,1.4,2', help='(%(default)s)')
    parser.add_argument('--parts', default='a,b', help='(%(default)s)')
    parser.add_argument('--out', type=Path, metavar='DIR', help='draw figure11.png there')
    return parser.parse_args(words)


def main(words):
    """Measure, print and draw; return 1 if a goal is missed."""
    options = options_of(words)
    if reason := wide_area.missing() or processor_quota.missing():
        raise SystemExit(f'chains: {reason}')
    levels, results = [*map(float, options.levels.split(','))], {}
    with two_sites() as sites:
        sites.prepare()
        for name in options.parts.split(','):
            results[PARTS[name]] = [*measured(sites, PARTS[name], levels, options.seconds)]
    wrong = [missed(part, rows) for part, rows in results.items()]
    if options.out:
        print(draw(results, options.out / 'figure11.png'))
    return int(any(wrong))
