"""Neighbours: the addresses that reports are sent to, and the nodes that reports name."""
from swift_lb.service.neighbours import DIRECT_AGE, ENOUGH, INDIRECT_AGE, PER_REPORT, Neighbours
from swift_lb.wire.node_report import Neighbour

FIRST, SECOND = ('10.0.0.1', 6208), ('10.0.0.2', 6208)


def test_reports_are_sent_to_each_known_address_once():
    one = Neighbours('me')
    one.configured = (FIRST, SECOND)
    one.received_from('a', FIRST, 0.0)
    one.learn([Neighbour('b', '10.0.0.3', 7000)], 0.0)
    assert list(one.targets()) == [FIRST, SECOND, ('10.0.0.3', 7000)]
    assert one.direct_addresses() == {FIRST}


def test_addresses_in_a_report_do_not_replace_known_ones():
    one = Neighbours('me')
    one.received_from('a', FIRST, 0.0)
    one.learn([Neighbour('me', '10.0.0.9', 1), Neighbour('a', '10.0.0.9', 1)], 1.0)
    assert list(one.targets()) == [FIRST]


def test_a_node_that_reports_from_a_new_address_has_that_address():
    one = Neighbours('me')
    one.received_from('a', FIRST, 0.0)
    one.received_from('a', SECOND, 1.0)
    assert list(one.targets()) == [SECOND]
    assert one.address_of('a') == SECOND


def test_a_node_that_never_reported_is_forgotten_after_a_minute():
    one = Neighbours('me')
    one.learn([Neighbour('a', *FIRST)], 0.0)
    one.learn([Neighbour('a', *FIRST)], 50.0)
    assert one.to_name() == []
    assert one.forget(INDIRECT_AGE) == []
    assert one.forget(INDIRECT_AGE + 0.001) == ['a']
    assert list(one.targets()) == []


def test_a_node_that_has_reported_is_remembered_for_an_hour():
    one = Neighbours('me')
    one.received_from('a', FIRST, 0.0)
    assert one.forget(DIRECT_AGE) == []
    assert one.forget(DIRECT_AGE + 0.001) == ['a']
    assert one.address_of('a') is None


def test_reports_name_new_nodes_first_and_then_all_nodes_in_turn():
    one = Neighbours('me')
    for number in range(6):
        one.received_from(f'node-{number}', (f'10.0.0.{number}', 6208), 0.0)
    named = [one.to_name() for _report in range(6 * ENOUGH)]
    assert {len(neighbours) for neighbours in named} == {PER_REPORT, 1}
    count = {f'node-{number}': 0 for number in range(6)}
    for neighbours in named:
        for neighbour in neighbours:
            count[neighbour.node] += 1
    assert min(count.values()) >= ENOUGH
    one.received_from('node-9', ('10.0.0.9', 6208), 1.0)
    assert one.to_name() == [Neighbour('node-9', '10.0.0.9', 6208)]
    last = {one.to_name()[0].node for _report in range(ENOUGH + 7)}
    assert len(last) == 7, 'each is named again'
