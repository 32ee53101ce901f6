"""COSBench's CSV files: numbers as in Java's DecimalFormat, safe text, the histogram."""
from datetime import datetime

import pytest

from swift_lb.wire.cosbench.buckets import ENDLESS, percentiles, table
from swift_lb.wire.cosbench.cells import line, name, number, percent, stamp, states, text


@pytest.mark.parametrize(('value', 'written'), [
    (0, '0'), (0.0, '0'), (2.0, '2'), (2.5, '2.5'), (2.016, '2.02'), (0.004, '0'), (10, '10'),
    (100.0, '100'), (163002193.98, '163002193.98'), (1e15, '1000000000000000'),
    (0.125, '0.12'), (0.375, '0.38'), (0.135, '0.14'),  # half to even; 0.135 is above its half
    (2546.904, '2546.9'), (None, 'N/A'),
])
def test_numbers_are_rounded_half_to_even_to_two_decimals(value, written):
    assert number(value) == written


@pytest.mark.parametrize(('fraction', 'written'), [
    (1.0, '100%'), (0.5, '50%'), (0.99996, '100%'), (0.98125, '98.12%'), (1 / 3, '33.33%'),
    (0, '0%'), (None, 'N/A')])
def test_percentages_have_at_most_two_decimals(fraction, written):
    assert percent(fraction) == written


def test_commas_and_line_breaks_in_a_cells_text_are_replaced():
    given = 'cprefix=c;containers=r(1,2)\n ;name="a, b"'
    assert text(given) == "cprefix=c containers=r(1-2) name='a- b'"
    assert line(['a', 1, text('b,c')]) == 'a,1,b-c\n'


@pytest.mark.parametrize(('given', 'safe'), [
    ('main', 'main'), ('../../etc/passwd', '..-..-etc-passwd'), ('a\\b\0c\td', 'a-b-c-d'),
    ('w(4)KB_c1 o1', 'w(4)KB_c1 o1'), ('', '-'), ('naïve', 'naïve'), ('a,b;c', 'a-b c')])
def test_a_name_is_made_safe_for_use_in_a_file_name(given, safe):
    assert name(given) == safe


def test_a_name_over_150_bytes_is_cut_between_two_characters():
    cut = name('ä' * 100 + 'b')
    assert cut == 'ä' * 75


def test_a_time_is_written_as_date_and_time_to_the_second():
    at = datetime(2026, 11, 21, 2, 5, 6, 999999)
    assert stamp(at) == '2026-11-21 02:05:06'
    assert stamp(None) == ''
    assert states([('running', at)]) == ['running @ 2026-11-21 02:05:06']


@pytest.mark.parametrize(('buckets', 'edges'), [
    ({}, (None,) * 6),
    ({5: 1}, (10, 10, 10, 10, 10, 60)),          # int(0.99) is 0: the first bucket, as COSBench
    ({0: 50935 - 1, 1: 1}, (10, 10, 10, 10, 10, 20)),
    ({0: 60, 1: 20, 2: 10, 3: 5, 4: 4, 9: 1}, (10, 20, 30, 40, 50, 100)),
    ({0: 59, 1: 41}, (20, 20, 20, 20, 20, 20)),
    ({3: 2}, (40, 40, 40, 40, 40, 40)),           # int(1.2) is 1
    ({49_999: 1, 50_000: 9}, (ENDLESS,) * 6),
])
def test_percentiles_are_the_upper_edges_of_histogram_buckets(buckets, edges):
    assert percentiles(buckets) == edges


def test_the_histogram_has_50001_lines_below_its_header():
    lines = list(table([('s3-main-w1-main-read', {0: 1, 2: 2, 50_000: 1}),
                        ('s3-main-w1-main-write', {}), ('s4-x-w1-x-read', None)]))
    assert lines[0] == ('ResTime,s3-main-w1-main-read,(%),s3-main-w1-main-write,(%),'
                        's4-x-w1-x-read,(%)\n')
    assert lines[1] == '0~10,1,25%,0,0%,,\n'
    assert lines[2] == '10~20,0,25%,0,0%,,\n'
    assert lines[3] == '20~30,2,75%,0,0%,,\n'
    assert lines[4] == '30~40,0,75%,0,0%,,\n'
    assert lines[50_000] == '499990~500000,0,75%,0,0%,,\n'
    assert lines[50_001] == '500000~+INF,1,100%,0,0%,,\n'
    assert len(lines) == 50_002
