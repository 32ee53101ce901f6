"""A status page is read whole or refused in one sentence."""
import json

import pytest
from unit.console.status_pages import book, node, order, page, policy

from swift_lb.console.page import Book, DeviceFacts, Facts, Order, Page, Policy, ReplicaPlace, parse
from swift_lb.errors import StatusError

URL = 'http://10.0.0.9:8080'
NOTHING = Facts(0, 0, 0, 0, 0, None, None, None, None, None, None)


def parsed(document):
    return parse(json.dumps(document).encode(), URL)


def test_page_is_parsed():
    result = parsed(page(
        node(1, choices=7, in_flight=2, oldest_wait=0.5, chunks=9, errors=1),
        policies={'default': policy(), '1': policy('shuffle', False)}, pid=31, worker=2,
        object=order((1, 'at random', True, {'timeouts': 3}), storage_policy=1)))
    assert Page(
        pid=31, worker=2,
        policies={'default': Policy('lb_rlt', True), '1': Policy('shuffle', False)},
        devices=(DeviceFacts('10.0.0.1:6200/sda', 7, {'default': 'unmeasured: tried first'},
                             NOTHING._replace(in_flight=2, oldest_wait=0.5, chunks=9, errors=1)),),
        order=Order('/AUTH_test/photos/cat', 1, 33, (
            ReplicaPlace('10.0.0.1:6200/sda', True, 'at random', NOTHING._replace(timeouts=3)),)),
    ) == result
    assert [Policy('shuffle', False), Policy('lb_rlt', True), Policy('lb_rlt', True)] == [
        result.policy(1), result.policy(0), result.policy()]


def test_workers_that_share_a_book_count_as_one_source_of_pages():
    result = parsed(page(book=book(3, workers=8), pid=31))
    assert (Book('boot-3', '/dev/shm/3.book', 8), 'boot-3', 8) == (
        result.book, result.keeper, result.workers)
    own = parsed(page(pid=31))
    assert (None, 31, 1) == (own.book, own.keeper, own.workers)


def test_unknown_fields_are_ignored():
    assert (parsed(page(node(1))) == parsed(page(node(1, colour='red'), weather={'rain': True})))


def test_control_characters_are_replaced():
    assert '\ufffd[2Jat random' == parsed(
        page(node(1, why='\x1b[2Jat random'))).devices[0].why['default']


@pytest.mark.parametrize(('body', 'sentence'), [
    (b'<html>', f'{URL} answers with something that is not JSON: is it a proxy with lb_status in '
                'its pipeline?'),
    (b'{"format": NaN}', f'{URL} answers with something that is not JSON: is it a proxy with '
                         'lb_status in its pipeline?'),
    (b'[1]', f'{URL} answers with JSON that is not a status page'),
    (b'{"pid": 1}', f'{URL} answers with JSON that is not a status page'),
    (b'{"format": 1}', f'{URL} has a status page of format 1, and this swift-lb reads format 2: '
                       'use the version the proxy runs'),
    (b'{"format": 2}', f"{URL} has a status page with a fault in it (KeyError: 'policies')"),
    (json.dumps(page(node(1, chunks='many'))).encode(),
     f"{URL} has a status page with a fault in it (ValueError: 'many' is not a number)"),
    (json.dumps(page(node(1, chunks=None))).encode(),
     f'{URL} has a status page with a fault in it (ValueError: None is not a number)'),
])
def test_other_pages_are_refused(body, sentence):
    with pytest.raises(StatusError) as refused:
        parse(body, URL)
    assert sentence == str(refused.value)
