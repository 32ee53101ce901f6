"""The order in which a real Application tries its nodes, and when it is Swift's own."""
import random

import pytest
from support.proxy_app import policy_of
from support.scripted_node import NodeAnswer
from support.stored_object import everything, missing, stored
from swift.common.swob import Request

BODY = b'x' * 10000
SHUFFLES = 12      # all of 12 shuffles of 3 nodes are alike with a probability of 3! ** -11, 3e-9


@pytest.fixture
def log():
    """Return an empty list, to which scripts of logging() append the devices that are asked."""
    return []


def logging(log, answer=None):
    """Return a script that appends its device to `log`, and answers as `answer` or with 404."""
    def script(request):
        log.append(request.path.split('/')[1])
        return answer(request) if answer else missing()
    return script


def orders(made, log, times, **asked):
    """Ask `times` times; return a list of tuples: the devices that each request asked, in order."""
    tried = []
    for _ in range(times):
        log.clear()
        made.ask(**asked)
        tried.append(tuple(log))
    return tried


@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_object_reads_try_nodes_in_the_order_of_the_policy(cluster, log, method):
    made = cluster(*[logging(log)] * 3)
    assert [('sd1', 'sd2', 'sd3')] * SHUFFLES == orders(made, log, SHUFFLES, method=method)
    assert [SHUFFLES, 0, 0] == [made.load(number).choices for number in (1, 2, 3)]


@pytest.mark.parametrize('method', ['PUT', 'POST', 'DELETE'])
def test_object_writes_try_nodes_in_swifts_own_order(cluster, log, method):
    made = cluster(*[logging(log, stored(BODY))] * 3, post_quorum_timeout='10')
    body = {'content_length': '0', 'content_type': 'text/plain'} if method == 'PUT' else {}
    tried = orders(made, log, SHUFFLES, method=method, **body)
    assert {'sd1', 'sd2', 'sd3'} == set(tried[0])
    sorted_by_us = []
    made.app.replicas.order = lambda *arguments: sorted_by_us.append(arguments)
    assert made.ask(method=method, **body)[0] in (201, 202, 204)
    assert [] == sorted_by_us
    assert [0, 0, 0] == [made.load(number).choices for number in (1, 2, 3)]


def test_the_policy_orders_container_reads_within_an_object_put(cluster, log):
    made = cluster(*[logging(log, everything(BODY))] * 3, lb_account_container='true')
    seen = []
    order = made.app.replicas.order
    made.app.replicas.order = lambda *arguments: seen.append(arguments[1]) or order(*arguments)
    blank = {'content_length': '0', 'content_type': 'text/plain'}
    assert 201 == made.ask(path='/v1/a/other/o', method='PUT', **blank)[0]
    assert [] == seen                     # the container's information was known
    put = Request.blank('/v1/a/c/o', method='PUT', headers={'Content-Length': '0'})
    assert 201 == put.get_response(made.app).status_int
    assert {None} == set(seen)            # the container was asked, and the account; not the object


def test_account_and_container_reads_keep_swifts_order(cluster, log):
    made = cluster(*[logging(log, everything(b''))] * 3)
    for path in ('/v1/a', '/v1/a/c'):
        assert 200 == made.ask(path=path + '?format=json')[0]
    firsts = {order[0] for order in orders(made, log, 5 * SHUFFLES, path='/v1/a')}
    assert {'sd1', 'sd2', 'sd3'} == firsts
    assert {} == made.app.replicas.book.snapshot().loads


@pytest.mark.parametrize('path', ['/v1/a', '/v1/a/c'])
def test_lb_account_container_orders_account_container_reads(cluster, log, path):
    made = cluster(*[logging(log, everything(b''))] * 3, lb_account_container='true')
    assert (200, b'[]') == made.ask(path=path + '?format=json')
    assert {'sd1'} == set(log)
    chunks, successes, errors, timeouts, in_flight = made.counts()[0]
    assert (chunks, errors, timeouts, in_flight) == (1, 0, 0, 0)
    assert successes == len(log)          # a container's GET asks the account first, by a HEAD
    assert [(0, 0, 0, 0, 0)] * 2 == made.counts()[1:]


def test_a_container_listing_that_breaks_off_is_one_error(cluster):
    whole = everything(b'')

    def broken(request):
        answer = whole(request)
        return answer if request.method == 'HEAD' else NodeAnswer(
            200, answer.headers, b'[]' + b' ' * 100, cut_after=10)
    made = cluster(broken, whole, whole, lb_account_container='true')
    response = made.open('/v1/a/c?format=json')
    with pytest.raises(BaseException, match='Too few bytes'):
        response.body  # noqa: B018  Swift resumes reads of objects only
    assert (1, 0, 0) == made.counts()[0][2:]


def test_the_policy_orders_within_tiers_of_read_affinity(cluster, log):
    # Of every scripted ring the nth device is in region n; the weights want sd1, sd2, sd3, sd4.
    made = cluster(*[logging(log)] * 4, sorting_method='affinity',
                   read_affinity='r3=100, r4=100, r2=200')
    assert [('sd3', 'sd4', 'sd2', 'sd1')] * SHUFFLES == orders(made, log, SHUFFLES)
    reverse = cluster(*[logging(log)] * 3, sorting_method='affinity',
                      read_affinity='r1=100, r2=200', lb_weights='127.0.0.1=1')
    assert [('sd1', 'sd2', 'sd3')] * SHUFFLES == orders(reverse, log, SHUFFLES)


def test_handoffs_come_last_in_the_order_of_the_ring(cluster, log):
    made = cluster(*[logging(log)] * 5, replicas=2, request_node_count='5')
    expected = tuple(node['device'] for node in (*made.primaries(), *made.handoffs()))
    assert [expected] * SHUFFLES == orders(made, log, SHUFFLES)


def test_a_device_listed_twice_by_the_ring_is_tried_twice(cluster, log):
    for conf, expected in (({}, ['sd1', 'sd1', 'sd2', 'sd3']),
                           ({'sorting_method': 'affinity', 'read_affinity': 'r2=1, r1=2, r3=3'},
                            ['sd2', 'sd1', 'sd1', 'sd3'])):
        made = cluster(*[logging(log)] * 3, **conf)
        given = [*made.primaries(), made.primaries()[0]]
        assert expected == [node['device'] for node in made.app.sort_nodes(given, policy_of(0))]


def test_lb_enabled_false_gives_swifts_own_order(cluster, log):
    scripts = [logging(log, stored(BODY)), logging(log, lambda request: NodeAnswer(503)),
               logging(log)]
    tried = []
    for conf in ({'ours': False}, {'lb_enabled': 'false'},
                 {'policy_config': {'0': {'lb_enabled': 'false'}}}):
        made = cluster(*scripts, **conf)
        random.seed(3)
        tried.append([orders(made, log, SHUFFLES), orders(made, log, SHUFFLES, method='HEAD')])
        assert tried[0] == tried[-1]
        if 'ours' not in conf:
            assert {} == made.app.replicas.book.snapshot().loads


def test_a_storage_policy_may_have_its_own_replica_policy(cluster, log):
    made = cluster(*[logging(log)] * 3, policy_config={'1': {'lb_policy': 'shuffle'}})
    assert [('sd1', 'sd2', 'sd3')] * SHUFFLES == orders(made, log, SHUFFLES)
    assert 1 < len({*orders(made, log, SHUFFLES, policy=1, method='HEAD')})
    assert ['weighted', 'shuffle', 'weighted'] == [
        made.app.replicas.options_of(index).policy for index in (0, 1, None)]


def test_swift_skips_an_error_limited_node(cluster, log):
    made = cluster(*[logging(log)] * 3)
    made.error_limit(1)
    assert [('sd2', 'sd3')] == orders(made, log, 1)
