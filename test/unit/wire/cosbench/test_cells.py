"""Numbers as Java's DecimalFormat writes them, and text that breaks no line."""
from datetime import datetime

import pytest

from swift_lb.wire.cosbench.cells import line, name, number, percent, stamp, states, text


@pytest.mark.parametrize(('value', 'written'), [
    (0, '0'), (0.0, '0'), (2.0, '2'), (2.5, '2.5'), (2.016, '2.02'), (0.004, '0'), (10, '10'),
    (100.0, '100'), (163002193.98, '163002193.98'), (1e15, '1000000000000000'),
    (0.125, '0.12'), (0.375, '0.38'), (0.135, '0.14'),  # half to even; 0.135 is above its half
    (2546.904, '2546.9'), (None, 'N/A'),
])
def test_a_number_has_two_digits_at_most_half_to_even(value, written):
    assert number(value) == written


@pytest.mark.parametrize(('fraction', 'written'), [
    (1.0, '100%'), (0.5, '50%'), (0.99996, '100%'), (0.98125, '98.12%'), (1 / 3, '33.33%'),
    (0, '0%'), (None, 'N/A')])
def test_a_percentage(fraction, written):
    assert percent(fraction) == written


def test_text_has_no_separators():
    given = 'cprefix=c;containers=r(1,2)\n ;name="a, b"'
    assert text(given) == "cprefix=c containers=r(1-2) name='a- b'"
    assert line(['a', 1, text('b,c')]) == 'a,1,b-c\n'


@pytest.mark.parametrize(('given', 'safe'), [
    ('main', 'main'), ('../../etc/passwd', '..-..-etc-passwd'), ('a\\b\0c\td', 'a-b-c-d'),
    ('w(4)KB_c1 o1', 'w(4)KB_c1 o1'), ('', '-'), ('naïve', 'naïve'), ('a,b;c', 'a-b c')])
def test_name_is_safe_in_a_file_name(given, safe):
    assert name(given) == safe


def test_a_long_name_is_cut_between_characters():
    cut = name('ä' * 100 + 'b')
    assert cut == 'ä' * 75


def test_stamps():
    at = datetime(2026, 11, 21, 2, 5, 6, 999999)
    assert stamp(at) == '2026-11-21 02:05:06'
    assert stamp(None) == ''
    assert states([('running', at)]) == ['running @ 2026-11-21 02:05:06']
