"""The grammar of COSBench's selectors, such as r(1,9), and of sizes, such as c(4)KB."""
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.wire.cosbench.model import Selector
from swift_lb.wire.cosbench.selectors import numbers, odd_numbers, odd_sizes, sizes

LARGEST = 2**31 - 1


@pytest.mark.parametrize(('text', 'expected'), [
    ('c(5)', Selector('constant', 5, 5)),
    ('c(0)', Selector('constant', 0, 0)),
    ('u(1,5)', Selector('uniform', 1, 5)),
    ('u(3)', Selector('uniform', 3, LARGEST)),
    ('r(1,5)', Selector('range', 1, 5)),
    ('1-5', Selector('range', 1, 5)),
    ('s(2,2)', Selector('sequential', 2, 2)),
    (f'u(1,{LARGEST})', Selector('uniform', 1, LARGEST)),
    ('h(1|4|10)', Selector('histogram', 1, 4, ((1, 4, 10),))),
    ('h(9|12|1,1|4|3)', Selector('histogram', 1, 12, ((1, 4, 3), (9, 12, 1)))),
    ('h(7||2)', Selector('histogram', 7, LARGEST, ((7, LARGEST, 2),))),
    ('h(1|6|9,7||2)', Selector('histogram', 1, LARGEST, ((1, 6, 9), (7, LARGEST, 2)))),
    ('h(1|9|1,2|3|1)', Selector('histogram', 1, 9, ((1, 9, 1), (2, 3, 1)))),
    ('r(0,0)', Selector('range', 1, 0)),   # nothing at all
    ('0-0', Selector('range', 1, 0)),
])
def test_each_form_of_selector_is_parsed_without_a_warning(text, expected):
    assert expected == numbers(text)
    assert odd_numbers(text) is None


@pytest.mark.parametrize(('text', 'read_as'), [
    # what follows the numbers that count is left out
    ('c(1,2)', 'c(1)'), ('r(1,2,3)', 'r(1,2)'), ('s(1,2,x)', 's(1,2)'), ('1-5-9', 'r(1,5)'),
    # u looks at its second number only where there are two
    ('u(1,2,3)', f'u(1,{LARGEST})'), ('u(4,)', f'u(4,{LARGEST})'), ('u(1,x,y)', f'u(1,{LARGEST})'),
    # what follows the parenthesis is left out
    ('c(3)x', 'c(3)'), ('r(1,5)x', 'r(1,5)'), ('u(1,5)-9', 'u(1,5)'), ('s(1,2) 3', 's(1,2)'),
    ('c(5)KB', 'c(5)'), ('c(3)(4)', 'c(3)'), ('h(1|2|3)x', 'h(1|2|3)'), ('c(3)\n', 'c(3)'),
    # numbers may have a sign
    ('c(+3)', 'c(3)'), ('u(+1,+5)', 'u(1,5)'), ('+1-+5', 'r(1,5)'),
    ('h(+1|+2|+3)', 'h(1|2|3)'),
    # what is empty is left out
    ('r(,1,,5,)', 'r(1,5)'), ('c(,3)', 'c(3)'), ('-1-5', 'r(1,5)'), ('1--5', 'r(1,5)'),
    ('h(1|2|3,)', 'h(1|2|3)'), ('h(1||2|3)', 'h(1|2|3)'), ('h(,7||2)', 'h(7||2)'),
])
def test_a_part_of_a_selector_that_cosbench_ignores_is_warned_of(text, read_as):
    assert numbers(read_as) == numbers(text)
    assert f'is read as {read_as}, as COSBench reads it' == odd_numbers(text)


@pytest.mark.parametrize(('text', 'reason'), [
    ('', 'is no selector'), ('5', 'is no selector'), ('x(1,5)', 'is no selector'),
    ('R(1,5)', 'is no selector'), ('r(1,5', 'is no selector'), ('r 1,5', 'is no selector'),
    ('1-5x', 'is no selector'), ('1-x', 'is no selector'), ('-5', 'is no selector'),
    ('c (5)', 'is no selector'), ('5-c(3)', 'is no selector'), ('1 -5', 'is no selector'),
    ('c()', 'where a whole number belongs'), ('c(,)', 'where a whole number belongs'),
    ('c(x)', 'where a whole number belongs'),
    ('c(-1)', 'where a whole number belongs'), ('c( 1)', 'where a whole number belongs'),
    ('r(1, 5)', 'where a whole number belongs'), ('u(1.5,3)', 'where a whole number belongs'),
    ('u(\N{ARABIC-INDIC DIGIT ONE},3)', 'where a whole number belongs'),
    ('u()', 'takes two numbers'), ('r(1)', 'takes two numbers'), ('s(1)', 'takes two numbers'),
    ('u(0,5)', 'begins below 1'), ('r(0,5)', 'begins below 1'), ('s(0,5)', 'begins below 1'),
    ('0-5', 'begins below 1'), ('u(0)', 'begins below 1'), ('h(0|5|1)', 'begins below 1'),
    ('r(5,1)', 'begins at 5, after its end, 1'), ('9-3', 'begins at 9, after its end, 3'),
    ('h(5|1|1)', 'begins at 5, after its end, 1'),
    ('c(2147483648)', 'above 2147483647'), ('u(1,2147483648)', 'above 2147483647'),
    ('c(' + '9' * 5000 + ')', 'above 2147483647'),
    ('h()', 'is no histogram'), ('h(1)', 'is no histogram'), ('h(1|2|3|4)', 'is no histogram'),
    ('h(1|2|0)', 'sum to 0'), ('h(1|2|2147483647,1|2|1)', 'sum to 2147483648'),
    ('h(||2)', 'where a whole number belongs'), ('h(1||)', 'where a whole number belongs'),
    ('h(1|5|)', 'is no histogram'), ('h(|1|5)', 'is no histogram'),
    ('h(7|2)', 'has a bucket lo|weight, which COSBench refuses; write lo||weight for a bucket'),
    ('h(1|6|9,7|2)', 'write lo||weight'), ('c((5)', "has '(5' where a whole number belongs"),
    ('c(' + 'x' * 5000 + ')', f"has '{'x' * 60}...' where a whole number belongs"),
    ('h(1|2|-1)', 'where a whole number belongs'), ('r(-1,5)', "has '-1' where a whole number"),
])
def test_invalid_selectors_are_refused(text, reason):
    with pytest.raises(ValueError, match=re.escape(reason)):
        numbers(text)


@pytest.mark.parametrize(('text', 'expected'), [
    ('c(64)KB', Selector('constant', 64_000, 64_000, (), 1000)),
    ('c(0)B', Selector('constant', 0, 0)), ('s(1,9)B', Selector('sequential', 1, 9)),
    ('u(1,5)MB', Selector('uniform', 10**6, 5 * 10**6, (), 10**6)),
    (f'c({LARGEST})GB', Selector('constant', LARGEST * 10**9, LARGEST * 10**9, (), 10**9)),
    ('h(1|64|10,64|512|90)KB', Selector('histogram', 1000, 512_000, (
        (1000, 64_000, 10), (64_000, 512_000, 90)), 1000)),
])
def test_a_selector_with_a_unit_is_parsed_into_bytes(text, expected):
    assert expected == sizes(text)
    assert odd_sizes(text) is None


@pytest.mark.parametrize(('text', 'read_as'), [
    ('c(4) KB', 'c(4)KB'), ('u(1,2,3)\tB', f'u(1,{LARGEST})B'), ('c(+4)MB', 'c(4)MB'),
    ('h(1|2|3,)GB', 'h(1|2|3)GB')])
def test_a_part_of_a_size_that_cosbench_ignores_is_warned_of(text, read_as):
    assert sizes(read_as) == sizes(text)
    assert f'is read as {read_as}, as COSBench reads it' == odd_sizes(text)


@pytest.mark.parametrize(('text', 'reason'), [
    *((text, 'is no size; write') for text in (
        'c(64)', '64KB', 'c(64)kb', 'c(64)K', '1-5KB', '', 'KB', 'c(64KB)')),
    *((text, f'is no size: its unit, {unit}, is {meant} to COSBench;') for text, unit, meant in (
        ('c(4)KiB', 'KiB', 'B'), ('c(4)kB', 'kB', 'B'), ('c(4) TB', 'TB', 'B'),
        ('c(4)xMB', 'xMB', 'MB'))),
    *((text, 'begins below 1') for text in ('r(0,0)B', 'r(0,5)KB', 's(0,1)B'))])
def test_invalid_sizes_are_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        sizes(text)


@given(st.text(max_size=40) | st.from_regex(r'[cursh]\([0-9|,]*\)(KB)?', fullmatch=True))
def test_any_text_is_parsed_or_refused_with_a_message(text):
    for parse in numbers, sizes:
        try:
            parsed = parse(text)
        except ValueError as err:
            parsed = str(err)
        assert isinstance(parsed, Selector) or parsed[0].islower()
