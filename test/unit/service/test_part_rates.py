"""Rates of parts of images: over a minute, by hand, of one host and of several."""
from swift_lb.service.part_rates import PartRates, together
from swift_lb.wire.image_counts import ImageCounts

STATE = {'image_wait': 0.5, 'image_workers': 2.0, 'image_decode': 8e-8, 'image_png': 1e-7,
         'image_raw': 5e-9, 'image_coefficients': 1e-7}


def rates(*told):
    """Return the metrics after (now, ImageCounts) pairs."""
    made = PartRates()
    for now, counts in told:
        made.add(counts, now)
    return made.metrics()


def test_rates_are_those_of_the_last_minute():
    first = 100.0, ImageCounts((0, 0, 0, 0), 0, 0, 0.0, 0.0)
    before = 170.0, ImageCounts((90, 10, 0, 50), 40, 40, 9.0, 8.0)
    assert {} == rates(first)
    assert {'image_d1': 0.0, 'image_d2': 1.0, 'image_d3': 0.0, 'image_d4': 0.5, 'image_hits': 0.75,
            'image_saved': 0.35} == rates(
        first, before, (190.0, ImageCounts((90, 30, 0, 60), 70, 50, 12.0, 12.0)))
    assert 'image_hits' not in rates(first, (101.0, first[1]))
    assert {} == rates(first, before, (171.0, ImageCounts((1, 0, 0, 0), 0, 0, 0.0, 0.0)))


def test_several_hosts_are_told_as_one():
    busy = STATE | {'image_d2': 3.0, 'image_d4': 1.0, 'image_hits': 0.25, 'image_saved': 2.0}
    idle = STATE | {'image_wait': 0.0, 'image_workers': 6.0}
    other = STATE | {'image_d4': 12.0, 'image_hits': 0.75, 'image_saved': 1.0}
    assert {'image_workers': 10, 'image_wait': 0.2, 'image_d1': 0.0, 'image_d2': 3.0,
            'image_d3': 0.0, 'image_d4': 13.0, 'image_hits': 0.625, 'image_saved': 3.0} == together(
        [busy, idle, {'cpu': 0.5}, other])
    assert together([idle])['image_hits'] is None
    assert together([{'cpu': 0.5}, {}]) is None
