"""What a worker learns of reads and sizes, by numbers worked by hand."""
import pytest

from swift_lb.chains.chain import D4, PNG, Work
from swift_lb.proxy.image.times import BATCH, GAIN, LEAST, MOST, RATE, ReadTimes, SizeFactors

WORK = Work(D4, PNG, 1, 1, 1000.0, 1, 0, 1)


def test_small_reads_teach_the_seconds_of_a_request():
    times = ReadTimes(None)
    times.add(1000, 0.05 + 1000 / RATE)
    assert times.batch == pytest.approx(BATCH + GAIN * (0.05 - BATCH))
    assert times.rate == RATE


def test_large_reads_teach_the_rate():
    times = ReadTimes(None)
    times.add(1_000_000, BATCH + 0.1)
    assert 1 / times.rate == pytest.approx((1 - GAIN) / RATE + GAIN * 1e-7)
    assert times.batch == BATCH


def test_a_read_sooner_than_its_request_keeps_the_rate_finite():
    times = ReadTimes(None)
    for _time in range(1000):
        times.add(1_000_000, 0.001)
    assert 1e9 < times.rate < 1e11


def test_the_first_sizes_count_alike():
    factors, sizes = SizeFactors(), []
    for size in (1500, 1000, 800):
        factors.add(factors.of(WORK), size)
        sizes.append(factors.of(WORK).size)
    assert sizes == pytest.approx([1500, 1250, 1100])


def test_sizes_approach_those_seen_and_stay_within_bounds():
    factors = SizeFactors()
    for _time in range(200):
        factors.add(factors.of(WORK), 1500)
    assert factors.of(WORK).size == pytest.approx(1500, rel=1e-3)
    for size, bound in ((1e9, MOST), (0, LEAST)):
        for _time in range(500):
            factors.add(factors.of(WORK), size)
        assert factors.of(WORK).size == pytest.approx(1000 * bound)
    assert factors.of(WORK._replace(form='raw')).size == 1000
