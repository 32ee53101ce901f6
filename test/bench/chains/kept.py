"""Seconds of a kept part beside those of computing it, on an idle lab without dispatchers."""
import statistics
from random import Random

from support.image_lab import failures

from swift_lb.chains.chain import Region, Task
from swift_lb.clock import monotonic

SIDE, VIEW, OVERVIEW = 2048, 512, 4
AWARE = 'points={}; bandwidth=1e9; latency=0.0001; pixels=1e9; overview={}; version={}'
CUT = 'D2'
POINTS = {'D4, PNG': 'D4', 'D3': 'D3', CUT: 'D2'}     # what is printed -> the client's points


def measure(images, options):
    """Print the seconds; return {point: seconds of a kept part / of computing it}, of medians."""
    images.lab.restart_proxies(dispatch=False)
    images.lab.restart_decoders({'workers': '1'})
    rng, shares = Random(options.seed), {}
    versions = [_version(images, number) for number in range(options.images)]
    times = {name: [] for name in POINTS}
    for number in range(options.parts):
        for name, point in POINTS.items():
            times[name].append(_times(images, number % options.images, versions, rng, point))
    print(f'{"512x512":8} {"computed":>9} {"kept":>9} {"ratio":>6} {"head":>9}')
    for name, measured in times.items():
        computed, kept, head = (statistics.median(each) for each in zip(*measured, strict=True))
        shares[name] = kept / computed
        print(f'{name:8} {1000 * computed:6.1f} ms {1000 * kept:6.1f} ms {shares[name]:6.2f} '
              f'{1000 * head:6.1f} ms')
    return shares


def _version(images, number):
    """Have a worker remember the index of an image; return the image's ETag."""
    answer = images.ask('GET', images.path(f'{number}.j2k', Task(
        Region(0, 0, 8, 8), 0), lb_why='true'), proxy=1)
    assert answer.status == 200, answer
    return images.ask('HEAD', f'{images.base}/maps/{number}.j2k', proxy=1).headers['etag']


def _times(images, number, versions, rng, point):
    """Return the seconds of a part that is computed, of the same again, and of a HEAD."""
    x, y = (rng.randrange(SIDE - VIEW) for _ in range(2))
    path = images.path(f'{number}.j2k', Task(Region(x, y, VIEW, VIEW), 0))
    headers = {} if point == 'D4' else {
        'X-Lb-Client': AWARE.format(point, OVERVIEW, versions[number].strip('"'))}
    seen = [images.seen(path, 1, headers) for _ in range(2)]
    assert [one.point for one in seen] == [point] * 2, seen
    assert not failures(seen), seen
    began = monotonic()
    images.ask('HEAD', f'{images.base}/maps/{number}.j2k', proxy=1)
    return *(one.seconds for one in seen), monotonic() - began
