"""Durations, throughputs, rates, shares and counts, as the console writes them."""
import pytest

from swift_lb.console import units


@pytest.mark.parametrize(('seconds', 'text'), [
    (None, '-'), (0, '0.0 ms'), (0.00042, '0.4 ms'), (0.00994, '9.9 ms'), (0.00996, '10 ms'),
    (0.0124, '12 ms'), (0.9994, '999 ms'), (0.9996, '1.0 s'), (9.94, '9.9 s'), (99.4, '99 s'),
    (99.6, '1.7 min'), (300, '5.0 min'), (5940, '99 min'), (7200, '2.0 h'), (170999, '47 h'),
    (172800, '2 d')])
def test_a_duration_has_two_digits_and_a_unit(seconds, text):
    assert text == units.duration(seconds)


@pytest.mark.parametrize(('rate', 'text'), [
    (None, '-'), (0, '0 B/s'), (999.4, '999 B/s'), (999.6, '1.00 kB/s'), (65536, '65.5 kB/s'),
    (231641426.1, '232 MB/s'), (6910226, '6.91 MB/s'), (2.5e9, '2.50 GB/s'), (7e12, '7,000 GB/s')])
def test_a_throughput_has_three_digits_in_decimal_units(rate, text):
    assert text == units.throughput(rate)


@pytest.mark.parametrize(('least', 'most', 'text'), [
    (0.0039, 0.0088, '3.9-8.8 ms'), (0.0039, 1.2, '3.9 ms-1.2 s'), (0.0039, 0.0039, ''),
    (0.00391, 0.00392, '')])
def test_a_range_is_empty_text_if_both_ends_are_written_alike(least, most, text):
    assert text == units.spread(least, most, units.duration)


def test_rates_shares_counts_and_plurals_are_formatted():
    assert (['-', '0.3', '12', '1,234', '-', '83.1%', '12,345', '1 worker', '0 workers']
            == [units.per_second(None), units.per_second(0.31), units.per_second(12.2),
                units.per_second(1234), units.share(None), units.share(0.831),
                units.count(12345), units.plural(1, 'worker'), units.plural(0, 'worker')])
