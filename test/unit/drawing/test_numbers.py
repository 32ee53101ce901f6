"""Numbers, times, ranges and texts, as reports write them."""
import math

import pytest

from swift_lb.drawing import numbers, text


@pytest.mark.parametrize(('value', 'written'), [
    (math.nan, '-'), (None, '-'), (0, '0'), (0.00312, '0.0031'), (0.0999, '0.10'), (0.5, '0.50'),
    (9.996, '10.0'), (99.96, '100'), (2546.9, '2,547')])
def test_numbers_are_written_with_about_three_digits(value, written):
    assert written == numbers.three_digits(value)


@pytest.mark.parametrize(('write', 'value', 'written'), [
    (numbers.milliseconds, 0.00202, '2.02'), (numbers.megabytes, 4000, '0.004'),
    (numbers.share, 0.466, '47 %'), (numbers.share, 0, '0 %'),
    (numbers.gain, 0.1158, '+11.58 %'), (numbers.gain, -0.0193, '-1.93 %')])
def test_times_sizes_and_shares_are_written_in_their_unit(write, value, written):
    assert written == write(value)
    assert ['-', '-'] == [write(None), write(math.nan)]


@pytest.mark.parametrize(('ratio', 'written'), [
    (1.0, '100'), (0.99999, '99.99'), (0.57, '57.00'), (0.0, '0.00'), (math.nan, '-'),
    ((10**12 - 1) / 10**12, '99.99')])
def test_success_ratio_is_100_only_without_failures(ratio, written):
    assert written == numbers.percent(ratio)


def test_a_range_is_written_only_if_its_ends_differ():
    write = numbers.milliseconds
    assert '30.0 (20.0..40.0)' == numbers.spread((0.03, 0.02, 0.04), write)
    assert '20.0' == numbers.spread((0.02, 0.02, 0.02000001), write)
    assert '-' == numbers.spread(None, write)


@pytest.mark.parametrize(('seconds', 'clock', 'sentence'), [
    (-1, '0:00', '0 s'), (5, '0:05', '5 s'), (725, '12:05', '12 min 05 s'),
    (6060, '1:41:00', '1 h 41 min')])
def test_a_duration_is_written_like_a_clock_or_with_units(seconds, clock, sentence):
    assert (clock, sentence) == (numbers.clock_time(seconds), numbers.duration(seconds))


def test_text_has_plurals_commas_and_no_control_characters():
    assert ('1 worker', '1,000 workers') == (
        numbers.plural(1, 'worker'), numbers.plural(1000, 'worker'))
    assert '2 proxies' == numbers.plural(2, 'proxy', 'proxies')
    assert ('1, 8', '') == (text.listed([1, 8]), text.listed([]))
    assert 'a\N{REPLACEMENT CHARACTER}[2Jb' == text.printable('a\x1b[2Jb')
