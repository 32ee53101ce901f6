"""Whom to tell, and of whom: as configured, as heard, as heard of."""
from swift_lb.service.neighbours import DIRECT_AGE, ENOUGH, INDIRECT_AGE, PER_REPORT, Neighbours
from swift_lb.wire.node_report import Neighbour

HERE, THERE = ('10.0.0.1', 6208), ('10.0.0.2', 6208)


def test_all_that_are_known_are_told_once():
    one = Neighbours('me')
    one.configured = (HERE, THERE)
    one.received_from('a', HERE, 0.0)
    one.learn([Neighbour('b', '10.0.0.3', 7000)], 0.0)
    assert list(one.targets()) == [HERE, THERE, ('10.0.0.3', 7000)]
    assert (one.direct_names(), one.direct_addresses()) == (['a'], {HERE})


def test_one_does_not_tell_oneself_and_knows_better_what_one_hears():
    one = Neighbours('me')
    one.received_from('a', HERE, 0.0)
    one.learn([Neighbour('me', '10.0.0.9', 1), Neighbour('a', '10.0.0.9', 1)], 1.0)
    assert list(one.targets()) == [HERE]


def test_a_node_that_moves_is_told_where_it_is_now():
    one = Neighbours('me')
    one.received_from('a', HERE, 0.0)
    one.received_from('a', THERE, 1.0)
    assert list(one.targets()) == [THERE]
    assert one.address_of('a') == THERE


def test_who_was_only_heard_of_is_not_told_of_and_is_forgotten_soon():
    one = Neighbours('me')
    one.learn([Neighbour('a', *HERE)], 0.0)
    one.learn([Neighbour('a', *HERE)], 50.0)
    assert one.to_name() == []
    assert one.forget(INDIRECT_AGE) == []
    assert one.forget(INDIRECT_AGE + 0.001) == ['a']
    assert list(one.targets()) == []


def test_who_was_heard_is_tried_for_an_hour():
    one = Neighbours('me')
    one.received_from('a', HERE, 0.0)
    assert one.forget(DIRECT_AGE) == []
    assert one.forget(DIRECT_AGE + 0.001) == ['a']
    assert one.address_of('a') is None


def test_newcomers_are_told_of_first_and_then_all_in_turn():
    one = Neighbours('me')
    for number in range(6):
        one.received_from(f'node-{number}', (f'10.0.0.{number}', 6208), 0.0)
    told = [one.to_name() for _report in range(6 * ENOUGH)]
    assert {len(news) for news in told} == {PER_REPORT, 1}
    count = {f'node-{number}': 0 for number in range(6)}
    for news in told:
        for neighbour in news:
            count[neighbour.node] += 1
    assert min(count.values()) >= ENOUGH
    one.received_from('node-9', ('10.0.0.9', 6208), 1.0)
    assert one.to_name() == [Neighbour('node-9', '10.0.0.9', 6208)]
    last = {one.to_name()[0].node for _report in range(ENOUGH + 7)}
    assert len(last) == 7, 'each is told of again, who knows who has lost it'
