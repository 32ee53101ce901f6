"""Response times of a trace of browsing, in a lab whose proxies keep results, and in one without.

Two proxies, each with a decoder of one process; the owner of a part of an image answers it. The
images have 2048x2048 gray pixels, in tiles of 256x256; views have 512x512 (browsing.py). CLIENTS
take the next view of the trace each, when they have the last one. The caches are too small for all
results. The first WARM of the views do not count.

A hit and a miss are compared without other load: each of PARTS views is asked for once, and then
REPEATS times.
"""
import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean, median

from bench.chains.browsing import VIEW, Browsing, View
from support.cluster import SwiftCluster, eventually
from support.dispatch_lab import Proxies
from support.jpeg2000 import encoded, noise

from swift_lb.chains.chain import Region, Task
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

LEVELS, CLIENTS, WARM, PARTS, REPEATS = 2, 2, 0.2, 30, 5
HIT_GOAL, MEAN_GOAL = 0.2, 0.7


class Images:
    """A lab with images, and a client that measures."""

    def __init__(self, lab, count):
        """Store `count` images in the lab."""
        self._proxies, cluster = Proxies(lab), SwiftCluster(lab)
        cluster.put('/maps')
        for number in range(count):
            cluster.put(f'/maps/{number}.j2k', encoded(noise('L', VIEW << LEVELS, VIEW << LEVELS,
                                                             number)), Content_Type='image/j2c')
        assert eventually(self._proxies.can_delegate)

    def seconds(self, view):
        """Return the seconds of the answer to a View, as its client sees it."""
        region = ','.join(map(str, view.task.region))
        path = (f'{self._proxies.base}/maps/{view.image}.j2k?lb_region={region}'
                f'&lb_reduce={view.task.reduce}')
        began = time.monotonic()
        answer = self._proxies.ask('GET', path, proxy=1 + view.visit % 2)
        assert (200, 'D4') == (answer.status, answer.headers['x-lb-point'])
        return time.monotonic() - began

    def browse(self, views):
        """Return the mean seconds of the views after the first WARM of them."""
        with ThreadPoolExecutor(CLIENTS) as clients:
            seconds = list(clients.map(self.seconds, views))
        return fmean(seconds[int(WARM * len(views)):])

    def hit_and_miss(self):
        """Return the median seconds of a hit and of a miss."""
        views = [View(0.0, place, 0, Task(Region(31 * place, 3, VIEW, VIEW))) for place
                 in range(PARTS)]
        misses = [self.seconds(view) for view in views]
        return median(self.seconds(view) for view in views * REPEATS), median(misses)


def measured(cache, views, options):
    """Return (mean seconds of the trace, (hit, miss)) of a lab whose proxies keep `cache` bytes."""
    spec = LabSpec(name=f'caching-{os.getpid()}', nodes=1, replicas=1, proxies=2, dispatch=True,
                   images=True, image_options={'workers': '1', 'cache': cache})
    with Lab.up(spec) as lab:
        images = Images(lab, options.images)
        return images.browse(views), images.hit_and_miss()


def main(words):
    """Print what the caches gain; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog='chains caching')
    parser.add_argument('--images', type=int, default=25, help='(%(default)s)')
    parser.add_argument('--views', type=int, default=600, help='(%(default)s)')
    parser.add_argument('--cache', default='16MiB', help='of each proxy (%(default)s)')
    parser.add_argument('--seed', type=int, default=1, help='(%(default)s)')
    options = parser.parse_args(words)
    views = list(Browsing(options.images, 1.0, options.seed, LEVELS).views(options.views))
    seen = [(view.image, view.task) for view in views]
    again = sum(view in seen[:place] for place, view in enumerate(seen)) / len(seen)
    print(f'{again:.2f} of {len(views)} views were asked for before')
    without, _times = measured('0', views, options)
    kept, (hit, miss) = measured(options.cache, views, options)
    print(f'a miss takes {1000 * miss:.0f} ms, a hit {1000 * hit:.1f} ms: {hit / miss:.2f} '
          f'(goal: at most {HIT_GOAL})')
    print(f'the trace: {1000 * without:.0f} ms a view, {1000 * kept:.0f} ms with {options.cache} '
          f'for each proxy: {kept / without:.2f} (goal: at most {MEAN_GOAL})')
    return int(hit > HIT_GOAL * miss or kept > MEAN_GOAL * without)
