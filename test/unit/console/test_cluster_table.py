"""The table that `swift-lb top --cluster` draws, on terminals of several sizes."""
import json

import pytest
from rich.console import Console
from support.agent_stub import cluster, gone, node

from swift_lb.console import cluster_table
from swift_lb.console.cluster_page import parse
from swift_lb.console.watch import ClusterView

URL = 'http://127.0.0.1:6209'


def view(*nodes, age=0.0, unanswered=None, **more):
    page = parse(json.dumps(cluster(*nodes, **more)).encode(), URL)
    return ClusterView(URL, page, age, unanswered)


def lines(of, width=None, height=None):
    console = Console(width=width or 1000, color_system=None)
    with console.capture() as capture:
        console.print(cluster_table.screen(of, 'q quits', width, height))
    return [line.rstrip() for line in capture.get().splitlines()]


HOT = node(2, state='rejected', load=0.93, weight=0.25, dns=0.1, keep=0.62, age=12.0,
           flows={'p1': 15.0, 'p3': 2.5}, reason='load 93% is above 85%: no new clients')


def test_a_wide_terminal_shows_every_column():
    assert [
        'http://127.0.0.1:6209, agent of p1   rules balanced by cpu   '
        'instruction 12 expires in 4.2 s   1 of 3 nodes up   q quits',
        '                                                            delegates             in  '
        'requests  response',
        'node  state        age   load  weight    dns    keep  take      per s    cpu  flight  '
        '   per s      time  reason',
        'p3    gone       never      -    0.00   0.0%  100.0%  0.0%        0.0      -       -  '
        '       -         -  never heard',
        'p2    rejected    12 s  93.0%    0.25  10.0%   62.0%  0.0%         18  31.0%       3  '
        '      41     12 ms  load 93% is above 85%: no new clients',
        'p1    up        400 ms  32.0%    1.00  25.0%  100.0%  0.0%        0.0  31.0%       3  '
        '      41     12 ms  load 32%',
    ] == lines(view(node(1), HOT, gone(3), metric='cpu'))


@pytest.mark.parametrize(('metric', 'text'), [
    ('auto', '0.0123'), ('cpu', '1.2%'), ('response_time', '12 ms'), ('in_flight', '0.0123')])
def test_a_load_is_written_in_the_unit_of_its_metric(metric, text):
    assert text == cluster_table.load(0.0123, metric)


def test_a_narrow_terminal_shows_fewer_columns():
    assert 'node  state        age  load    dns    keep  take  flight' == lines(
        view(node(1), HOT), 60)[2]
    for width in range(60, 200, 7):
        assert max(map(len, lines(view(node(1), HOT, gone(3)), width))) <= width


def test_nodes_that_do_not_fit_are_counted_below_the_table():
    shown = lines(view(*(node(number) for number in range(1, 6))), 200, 7)
    assert ['p1 ', 'p2 ', 'p3 ', '2 n'] == [line[:3] for line in shown[3:]]
    assert '2 nodes more not shown' == shown[-1]


def test_the_header_lists_the_agents_faults_and_a_panic():
    assert [
        ('http://127.0.0.1:6209, agent of p1   rules tllb by auto   instruction 12 has expired   '
         '2 of 3 nodes up   q', ''),
        ('http://127.0.0.1:6209 does not answer: Connection refused; the table is 7.0 s old',
         'bold red'),
        ('panic: more than half of the nodes looked bad, so all are treated as up', 'bold red'),
        ('fault: no space left', 'red'),
        ('p2 carries out another instruction than p1', 'yellow'),
    ] == [*cluster_table.header(view(
        node(1, agrees=False), node(2, agrees=False), gone(3), rules='tllb', expires_in=-0.5,
        panic=True, faults=['no space left'], age=7.0,
        unanswered='http://127.0.0.1:6209 does not answer: Connection refused'), 'q')]


@pytest.mark.parametrize(('more', 'sentence'), [
    ({'generation': None, 'expires_in': None}, 'no instruction yet'),
    ({'expires_in': None}, 'instruction 12'), ({'expires_in': 0.0}, 'instruction 12 has expired'),
    ({'expires_in': 0.4}, 'instruction 12 expires in 400 ms')])
def test_the_header_says_when_the_instruction_expires(more, sentence):
    assert sentence == cluster_table.instruction(view(**more).page)


def test_the_header_says_that_no_node_has_sent_a_report():
    assert [('no node has sent a report yet', '')] == [*cluster_table.header(view(), '')][1:]


def test_a_list_of_more_than_six_node_names_is_cut():
    assert ['a, b', 'a, b, c, d, e, f', 'a, b, c, d, e, f and 1 more'] == [
        cluster_table.several([*names]) for names in ('ab', 'abcdef', 'abcdefg')]


def test_nodes_are_sorted_by_worst_state_then_highest_load():
    page = view(node(10), node(9), node(8, load=0.9), node(7, agrees=False), node(6, state='late'),
                node(5, state='rejected'), node(4, state='critical'), gone(3),
                node(2, state='draining'), node(1, state='odd'), node(11, state='disabled')).page
    assert [3, 4, 5, 1, 6, 7, 2, 11, 8, 9, 10] == [
        int(one.node[1:]) for one in cluster_table.in_order(page.nodes)]
