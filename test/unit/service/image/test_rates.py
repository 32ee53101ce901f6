"""Seconds per pixel, worked by hand."""
import pytest

from swift_lb.service.image.rates import DEFAULTS, PRIOR, WorkRates


def test_a_rate_begins_at_its_default_and_forgets_it():
    rates = WorkRates()
    assert rates.document() == pytest.approx(DEFAULTS)
    rates.note('png', 0.5, PRIOR)
    assert rates.of('png') == pytest.approx((0.9 * 2.4e-8 * PRIOR + 0.5) / (1.9 * PRIOR))
    for _turn in range(200):
        rates.note('png', 3e-7 * 1000, 1000)
    assert rates.of('png') == pytest.approx(3e-7, rel=1e-3)
    assert rates.of('decode') == pytest.approx(DEFAULTS['decode'])


def test_kinds_of_work_that_are_not_known_are_not_measured():
    rates = WorkRates()
    rates.note('gif', 1.0, 5)
    rates.note('raw', 1.0, 0)
    assert rates.of('gif') == 0.0
    assert rates.document() == pytest.approx(DEFAULTS)
