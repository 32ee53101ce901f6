"""The table that `swift-lb top` draws, on terminals of several sizes."""
import json

import pytest
from rich.console import Console
from unit.console.status_pages import node, page, policy

from swift_lb.console import table
from swift_lb.console.columns import DEVICES, that_fit
from swift_lb.console.combine import Look, Sighting, combine
from swift_lb.console.page import Policy, parse
from swift_lb.console.table import in_order

URL = 'http://127.0.0.1:8080'


def view(*nodes, unanswered=(), **more):
    result = parse(json.dumps(page(*nodes, **more)).encode(), URL)
    return combine({(URL, 1): Look(Sighting(result, 9.0), None)}, dict(unanswered), 9.0)


def lines(of, width=None, height=None, sort='choices', index=None):
    console = Console(width=width or 1000, color_system=None)
    with console.capture() as capture:
        console.print(table.screen(of, index, sort, 'q quits', width, height))
    return [line.rstrip() for line in capture.get().splitlines()]


MEASURED = node(2, 1500, 'score 3e+09 = 2,000,000 B/s x 1500 chunks', in_flight=3,
                oldest_wait=0.25, first_byte_time=0.0123, first_byte_age=2.0,
                last_throughput=2e6, last_chunk_age=1.5, chunks=1500, timeouts=1)


def test_a_wide_terminal_shows_every_column_but_empty_ones():
    assert [
        'http://127.0.0.1:8080, 1 worker seen   policy lb_rlt   q quits',
        '                          choices      in  oldest  first       last    its               '
        '   time-',
        'node               share    per s  flight    wait   byte      chunk    age  chunks  errors'
        '   outs  why',
        '10.0.0.2:6200/sda  75.0%        -       3  250 ms  12 ms  2.00 MB/s  1.5 s   1,500       0'
        '      1  score 3e+09 = 2,000,000 B/s x 1500 chunks',
        '10.0.0.1:6200/sda  25.0%        -       0       -      -          -      -       0       0'
        '      0  unmeasured: tried first',
    ] == lines(view(node(1, 500), MEASURED))


def test_the_range_over_several_books_has_a_column():
    [row] = view(MEASURED).rows
    titles = [column.title for column in that_fit(
        [row, row._replace(first_byte_times=(0.01, 0.02))], None, DEVICES)]
    assert 1 == titles.count('workers\ndiffer')


def test_a_narrow_terminal_shows_fewer_columns():
    assert [
        'http://127.0.0.1:8080, 1 worker seen   policy lb_rlt   q quits',
        '                   choices      in  oldest  first       last          time-',
        'node                 per s  flight    wait   byte      chunk  errors   outs',
    ] == lines(view(node(1, 500), MEASURED), 80)[:3]
    for width in range(60, 200, 7):
        assert max(map(len, lines(view(node(1, 500), MEASURED), width))) <= width


@pytest.mark.parametrize(('height', 'devices', 'last'), [
    (9, 5, '10.0.0.5:6200/sda'), (8, 5, '10.0.0.5:6200/sda'), (7, 3, '2 devices more not shown'),
    (5, 1, '4 devices more not shown'), (4, 0, '5 devices more not shown')])
def test_devices_that_do_not_fit_are_counted_below_the_table(height, devices, last):
    shown = lines(view(*(node(number, 100 - number) for number in range(1, 6))), 200, height)
    assert devices == sum(line.startswith('10.') for line in shown)
    assert len(shown) <= height
    assert shown[-1].startswith(last)


def test_top_says_so_if_no_device_has_been_read_yet():
    assert 'no device has been read yet' == lines(view())[-1]
    assert ['0 proxies, 0 workers seen   policy -   q quits', 'http://b:1 answers 503'] == lines(
        combine({}, {'http://b:1': 'http://b:1 answers 503'}, 9.0))[:2]


def test_the_header_lists_policies_and_silent_proxies():
    many = view(policies={'default': policy(), '1': policy('shuffle', False)},
                unanswered={'http://b:1': 'http://b:1 does not answer: Connection refused'})
    assert [
        ('http://127.0.0.1:8080, 1 worker seen   policy lb_rlt   q', False),
        ('storage policy 1: shuffle, not in force (lb_enabled is false)', False),
        ('http://b:1 does not answer: Connection refused', True),
    ] == [*table.header(many, None, 'q')]
    assert 'shuffle and weighted (workers differ)' == table.in_force(
        (Policy('shuffle', True), Policy('weighted', True)))


def test_ipv6_brackets_are_printed_not_read_as_markup():
    shown = lines(view(node(1) | {'node': '[fd00::1]:6200/sda'}))
    assert shown[-1].startswith('[fd00::1]:6200/sda ')


def test_rows_are_sorted_with_unknown_values_last():
    rows = view(node(10, 5, first_byte_time=0.2, first_byte_age=0.0), node(9, 5),
                node(1, 3, first_byte_time=0.1, first_byte_age=0.0, errors=4)).rows
    assert {'node': [1, 9, 10], 'first-byte': [10, 1, 9], 'errors': [1, 9, 10],
            'choices': [9, 10, 1], 'rate': [9, 10, 1]} == {
        word: [int(row.node.split(':')[0].split('.')[3]) for row in in_order(rows, word)]
        for word in ('node', 'first-byte', 'errors', 'choices', 'rate')}
