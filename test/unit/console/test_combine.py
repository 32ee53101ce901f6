"""Status pages of several workers or hosts are combined to one table of devices."""
import json

from unit.console.status_pages import book, node, page, policy

from swift_lb.console.combine import DeviceRow, Look, Sighting, advance, combine
from swift_lb.console.page import Policy, parse
from swift_lb.console.table import document

URL = 'http://127.0.0.1:8080'


def seen(at, *nodes, **more):
    return Sighting(parse(json.dumps(page(*nodes, **more)).encode(), URL), at)


BUSY = {'in_flight': 2, 'oldest_wait': 0.4, 'chunks': 50, 'successes': 10, 'errors': 1,
        'timeouts': 2}
ONE = node(1, choices=30, why='score 2', first_byte_time=0.009, first_byte_age=1.0,
           last_throughput=2e6, last_chunk_age=0.75, **BUSY)
OTHER = node(1, choices=10, why='score 7', first_byte_time=0.003, first_byte_age=0.25,
             last_throughput=9e6, last_chunk_age=0.125, **BUSY | {'oldest_wait': 1.5})


def test_counts_of_workers_add_up_and_the_longest_wait_is_shown():
    # The other worker's page came 2 s ago: its facts are 2 s older than it says.
    looks = {(URL, 1): Look(seen(10.0, ONE), None), (URL, 2): Look(seen(8.0, OTHER), None)}
    assert (DeviceRow(
        node='10.0.0.1:6200/sda', workers=2, choices=40, choices_per_second=None, share=1.0,
        in_flight=4, oldest_wait=1.5, first_byte_time=0.009, first_byte_age=1.0,
        first_byte_times=(0.003, 0.009), last_throughput=2e6, last_chunk_age=0.75,
        last_throughputs=(2e6, 9e6), chunks=100, successes=20, errors=2, timeouts=4,
        why='score 2'),) == combine(looks, {}, 10.0).rows


def test_a_book_shared_by_several_workers_is_counted_once():
    old, new = (seen(at, node(1, choices, in_flight=choices), pid=pid, book=book())
                for at, choices, pid in ((9.0, 5, 1), (10.0, 7, 2)))
    other = seen(10.0, node(1, 100, in_flight=100), pid=3, book=book(2, workers=8))
    result = combine({(URL, old.page.keeper): Look(old, None),
                      ('http://[::1]:8080', new.page.keeper): Look(new, None),
                      ('http://10.0.0.2:8080', other.page.keeper): Look(other, None)}, {}, 10.0)
    assert [(10, 107, 107)] == [(row.workers, row.choices, row.in_flight) for row in result.rows]
    assert old.page.keeper == new.page.keeper != other.page.keeper


def rates(*looks):
    rows = combine({(URL, pid): look for pid, look in enumerate(looks)}, {}, 10.0).rows
    return {row.node[:8]: (row.choices, row.choices_per_second, row.share) for row in rows}


def test_choices_per_second_are_computed_from_two_pages():
    # (30 - 10) / 2 s + (5 - 4) / 1 s = 11/s; a new device counts from 0: 4 / 2 s = 2/s, and the
    # worker that has been met once adds its choices to the sum but knows no rate
    assert {'10.0.0.1': (44, 11.0, 11 / 13), '10.0.0.2': (4, 2.0, 2 / 13)} == rates(
        Look(seen(10.0, node(1, 30), node(2, 4)), seen(8.0, node(1, 10))),
        Look(seen(9.5, node(1, 5)), seen(8.5, node(1, 4))),
        Look(seen(9.9, node(1, 9)), None))


def test_a_count_that_decreased_is_taken_as_restarted_at_zero():
    assert {'10.0.0.1': (6, 3.0, 1.0)} == rates(
        Look(seen(10.0, node(1, 6)), seen(8.0, node(1, 500))))


def test_without_recent_choices_a_devices_share_is_unknown():
    assert {'10.0.0.1': (6, 0.0, None)} == rates(
        Look(seen(10.0, node(1, 6)), seen(8.0, node(1, 6))))


def test_pages_of_ended_workers_are_dropped_after_max_age():
    first, second, third = seen(1.0, pid=1), seen(2.0, pid=1), seen(2.5, pid=3)
    looks = advance({}, {(URL, 1): first, (URL, 2): first}, 1.0, 5.0)
    assert {(URL, 1): Look(first, None), (URL, 2): Look(first, None)} == looks
    looks = advance(looks, {(URL, 1): second, (URL, 3): third}, 2.5, 5.0)
    assert {(URL, 1): Look(second, first), (URL, 2): Look(first, None),
            (URL, 3): Look(third, None)} == looks
    assert {(URL, 1): Look(second, first), (URL, 3): Look(third, None)} == advance(
        looks, {}, 6.5, 5.0)


def test_reasons_are_those_of_the_selected_storage_policy():
    looks = {(URL, 1): Look(seen(1.0, node(1, why={'default': 'score 2', '1': 'at random'}),
                                 policies={'default': policy(), '1': policy('shuffle')}), None)}
    assert [('score 2', (Policy('lb_rlt', True),)), ('at random', (Policy('shuffle', True),)),
            ('score 2', (Policy('lb_rlt', True),))] == [
        (view.rows[0].why, view.policies)
        for view in (combine(looks, {}, 1.0, index) for index in (None, 1, 2))]
    assert {'1': (Policy('shuffle', True),)} == combine(looks, {}, 1.0).others


def test_the_view_of_top_becomes_a_json_document():
    looks = {(URL, 7): Look(seen(9.0, node(2, 1), pid=7, worker=3), None)}
    result = document(combine(looks, {'http://gone': 'why'}, 10.0), 0, 'node')
    assert json.loads(json.dumps(result)) == {
        'format': 2, 'unanswered': {'http://gone': 'why'}, 'storage_policy': 0,
        'books': [{'url': URL, 'pid': 7, 'worker': 3, 'workers': 1, 'book': None, 'age': 1.0}],
        'policies': [{'name': 'lb_rlt', 'enabled': True}],
        'devices': [{
            'node': '10.0.0.2:6200/sda', 'workers': 1, 'choices': 1, 'choices_per_second': None,
            'share': 1.0, 'in_flight': 0, 'oldest_wait': None, 'first_byte_time': None,
            'first_byte_age': None, 'first_byte_times': None, 'last_throughput': None,
            'last_chunk_age': None, 'last_throughputs': None, 'chunks': 0, 'successes': 0,
            'errors': 0, 'timeouts': 0, 'why': 'unmeasured: tried first'}]}
