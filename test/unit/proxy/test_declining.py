"""Load reports and declined reads in a real Application: what is noted; no answer is lost.

The proxy tries the nodes in their order. All but the last of an order may decline.
"""
from threading import Event

import pytest
from support.fallbacks import broken, flushed, ledger_of
from support.scripted_cluster import key_of
from support.scripted_node import NodeAnswer
from support.stored_object import everything, missing, stored

from swift_lb.load.pace import Pace
from swift_lb.model import DeviceReport
from swift_lb.policy.lb_rlt import Weighted
from swift_lb.proxy.nodes import take_back
from swift_lb.wire.report import DECLINED, LIMIT, LOAD

BODY = bytes(range(256)) * 800            # four chunks
REPORT = DeviceReport(9, 0.0125)
HEADER = {LOAD: '1 9 0.012500'}
NEWER, OLDER = '1800000000.00000', '1600000000.00000'


def busy(otherwise, **how):
    """Return a script that declines (429) a request with a load limit; others: `otherwise`."""
    def script(request):
        if LIMIT.lower() in request.headers:
            return NodeAnswer(429, {DECLINED: '1', **HEADER}, **how)
        return otherwise(request) if callable(otherwise) else otherwise
    return script


def limits(made):
    """Return a list of lists: for each node the load limit, str or None, of each request."""
    return [[request.headers.get(LIMIT.lower()) for request in node.requests]
            for node in made.nodes]


def reports(made):
    return [made.load(number + 1).report for number in range(len(made.nodes))]


@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_the_load_report_of_a_good_answer_is_recorded(cluster, method):
    made = cluster(stored(BODY, headers=HEADER), *[stored(BODY)] * 2)
    assert 200 == made.ask(method=method)[0]
    assert [REPORT, None, None] == reports(made)
    assert made.load(1).reported_at < made.load(1).first_byte_at    # of the head


def test_the_load_reports_of_404_and_503_are_recorded(cluster):
    tombstone = missing(OLDER)      # of a plain 404 of a primary, Swift throws the first away
    tombstone.headers.update(HEADER)
    made = cluster(tombstone, NodeAnswer(503, HEADER), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [REPORT, REPORT, None] == reports(made)
    assert [(0, 0, 0, 0, 0), (0, 0, 1, 0, 0), (4, 1, 0, 0, 0)] == made.counts()


def test_the_load_reports_of_fragments_are_recorded(cluster):
    made = cluster(*[None] * 3).hold_fragments(BODY)
    made.nodes[0].script, second = NodeAnswer(404, HEADER), made.nodes[1].script

    def reporting(request):
        answer = second(request)
        answer.headers.update(HEADER)
        return answer
    made.nodes[1].script = reporting
    assert (200, BODY) == made.ask(policy=1)
    assert [REPORT, REPORT, None] == reports(made)


@pytest.mark.parametrize(('script', 'progress'), [
    (missing(), True), (NodeAnswer(503), False), (busy(NodeAnswer(503)), False)])
def test_only_a_404_updates_a_nodes_last_progress_time(limited, monkeypatch, script, progress):
    monkeypatch.setattr(Weighted, 'kinds', (Pace,), raising=False)
    made = limited(script, *[stored(BODY)] * 2)
    waiting = made.app.replicas.book.begin(key_of(made.nodes[0]), made.app.replicas.clock())
    before = made.load(1).evidence[Pace].progress_at
    assert (200, BODY) == made.ask()
    assert progress == (made.load(1).evidence[Pace].progress_at > before)
    waiting.end()


@pytest.mark.parametrize('answer', [missing(), NodeAnswer(503)])
def test_a_handoffs_404_or_503_leaves_its_last_progress_time(cluster, monkeypatch, answer):
    """Swift tells swift-lb of neither, so that a 503 of a handoff is not counted as an error."""
    monkeypatch.setattr(Weighted, 'kinds', (Pace,), raising=False)
    made = cluster(*[missing()] * 5, lb_policy='weighted', replicas=2, request_node_count='4')
    number = made.number_of(made.handoffs()[0])
    handoff = made.nodes[number - 1]
    handoff.script = answer
    waiting = made.app.replicas.book.begin(key_of(handoff), made.app.replicas.clock())
    before = made.load(number).evidence[Pace].progress_at
    assert 404 == made.ask()[0]
    assert 1 == handoff.count()
    assert before == made.load(number).evidence[Pace].progress_at
    waiting.end()


@pytest.mark.parametrize('text', ['', '2 9 0.012500', '1 9', '1 -9 0.0125', '1 9 nan', 'x' * 5000])
def test_a_malformed_load_report_is_ignored(cluster, text):
    made = cluster(stored(BODY, headers={LOAD: text}), NodeAnswer(404), NodeAnswer(404))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert [None] * 3 == reports(made)
    assert {} == flushed(made, ledger)


@pytest.mark.parametrize(('scripts', 'conf', 'status', 'expected'), [
    pytest.param([missing()] * 3, {}, 404, [['3'], ['3'], [None]], id='all but the last'),
    pytest.param([busy(stored(BODY))] * 3, {}, 200, [['3'], ['3'], [None]],
                 id='the last does not decline'),
    pytest.param([busy(stored(BODY)), missing(), missing()], {}, 200,
                 [['3', None], ['3'], [None]], id='asked again without a limit'),
    pytest.param([busy(stored(BODY)), stored(BODY), stored(BODY)],
                 {'concurrent_gets': 'true', 'concurrency_timeout': '60'}, 200,
                 [['3'], ['3'], []], id='concurrent_gets'),
    pytest.param([missing()] * 4, {'sorting_method': 'affinity',
                                   'read_affinity': 'r1=100, r2=100, r3=200, r4=200'}, 404,
                 [['3'], [None], ['3'], [None]], id='all but the last of each affinity tier')])
def test_all_nodes_but_the_last_of_a_tier_may_decline(limited, scripts, conf, status, expected):
    made = limited(*scripts, **conf)
    answer = made.ask()
    assert (200, BODY) == answer if status == 200 else status == answer[0]
    assert expected == limits(made)


@pytest.mark.parametrize('asked', [
    {'x_newest': 'true'}, {'method': 'HEAD'}, {'policy': 1}, {'policy': 1, 'method': 'HEAD'},
    {'path': '/v1/a'}, {'path': '/v1/a/c'}])
def test_only_a_get_of_a_replica_may_be_declined(limited, asked):
    made = limited(*[busy(everything(BODY))] * 3, lb_account_container='true')
    made.ask(**asked)
    assert {None} == {each for node in limits(made) for each in node}
    assert sum(made.asked()) >= 1


def test_a_limit_header_sent_by_a_client_is_dropped(cluster):
    made = cluster(*[busy(stored(BODY))] * 3)
    assert (200, BODY) == made.ask(x_backend_lb_limit='0')
    assert [[None], [], []] == limits(made)


def test_a_declined_read_is_neither_success_nor_error(limited):
    made = limited(busy(stored(BODY)), stored(BODY), stored(BODY))
    ledger = ledger_of(made)
    assert (200, BODY) == made.ask()
    assert [(0, 0, 0, 0, 0), (4, 1, 0, 0, 0), (0, 0, 0, 0, 0)] == made.counts()
    assert [['3'], ['3'], []] == limits(made)
    assert [REPORT, None, None] == reports(made)
    assert (0, None) == (made.load(1).queued, made.load(1).first_byte_time)
    assert {} == flushed(made, ledger)
    name = f'lb.declined.127_0_0_1_{made.nodes[0].port}_sd1'
    assert 1 == ledger.sums[name]
    assert not made.app.error_limiter.stats


def test_nodes_that_declined_are_asked_again_before_handoffs(limited):
    made = limited(*[None] * 5, replicas=3, request_node_count='5')
    log = []

    def logging(answer):
        def script(request):
            log.append((request.path.split('/')[1], request.headers.get(LIMIT.lower())))
            return answer(request) if callable(answer) else answer
        return script
    a, b, c = (node['device'] for node in made.primaries())
    handoff = made.handoffs()[0]['device']
    scripts = {a: busy(missing()), b: busy(missing()), handoff: stored(BODY)}
    for node in made.nodes:
        node.script = logging(scripts.get(node.device, missing()))
    assert (200, BODY) == made.ask()
    assert [(a, '3'), (b, '3'), (c, None), (a, None), (b, None), (handoff, None)] == log


def test_a_node_that_declined_is_asked_again_if_none_is_left(limited):
    made = limited(*[busy(stored(BODY))] * 4, replicas=3)
    made.error_limit(2)
    made.error_limit(3)
    assert (200, BODY) == made.ask()
    asked = limits(made)
    assert ['3', None] == asked.pop(made.number_of(made.primaries()[0]) - 1)
    assert [[], [], []] == asked


@pytest.mark.parametrize('request_node_count', ['1', '2', '3', '6'])
def test_a_node_that_declined_is_asked_again_past_the_node_count(limited, request_node_count):
    made = limited(busy(stored(BODY)), missing(), missing(), request_node_count=request_node_count)
    assert (200, BODY) == made.ask()
    assert ['3', None] == limits(made)[0]


def test_a_tombstone_on_a_node_that_declined_gives_404(limited):
    made = limited(busy(missing(NEWER)), missing(), busy(stored(b'old', timestamp=OLDER)))
    assert 404 == made.ask(x_newest='true')[0]
    made = limited(busy(stored(b'old', timestamp=OLDER)), missing(NEWER), missing())
    assert 404 == made.ask()[0]
    assert ['3', None] == limits(made)[0]


@pytest.mark.parametrize('others', [
    (NodeAnswer(503), NodeAnswer(503)), (missing(), NodeAnswer(503)), (NodeAnswer(507), missing())])
@pytest.mark.parametrize('at_last', [missing(), NodeAnswer(503)])
def test_a_declined_read_does_not_change_the_final_status(limited, others, at_last):
    expected = limited(at_last, *others, ours=False).ask()
    made = limited(busy(at_last), *others)
    assert expected == made.ask()
    assert ['3', None] == limits(made)[0]


def test_a_resumed_read_may_not_be_declined(limited):
    made = limited(stored(BODY, cut_after=70000), busy(stored(BODY)), stored(BODY))
    assert (200, BODY) == made.ask()
    assert [['3'], [None], []] == limits(made)
    assert [(2, 0, 1, 0, 0), (3, 1, 0, 0, 0), (0, 0, 0, 0, 0)] == made.counts()


def test_a_read_can_be_resumed_from_a_node_that_declined(limited):
    made = limited(busy(stored(BODY)), stored(BODY, cut_after=70000), missing())
    assert (200, BODY) == made.ask()
    assert [['3', None], ['3'], [None]] == limits(made)
    assert [(3, 1, 0, 0, 0), (2, 0, 1, 0, 0), (0, 0, 0, 0, 0)] == made.counts()
    assert 'bytes=70000-204799' == made.nodes[0].requests[1].headers['range']


@pytest.mark.parametrize('request_node_count', ['3', '6'])
def test_a_node_that_declines_last_is_asked_again_at_once(limited, request_node_count):
    """With concurrent_gets Swift may have asked all nodes before the first one declines."""
    gate = Event()

    def last(_request):
        gate.set()
        return missing()
    made = limited(busy(stored(BODY), head_delay=gate), missing(), last, concurrent_gets='true',
                   concurrency_timeout='0.05', request_node_count=request_node_count)
    assert (200, BODY) == made.ask()
    assert [['3', None], ['3'], [None]] == limits(made)
    assert [(4, 1, 0, 0, 0), (0, 0, 0, 0, 0)] == made.counts()[:2]     # the 404 may be late


def test_a_429_without_the_declined_header_is_left_to_swift(limited):
    expected = limited(*[NodeAnswer(429)] * 3, ours=False).ask()[0]
    made = limited(*[NodeAnswer(429)] * 3)
    assert expected == made.ask()[0]
    assert [['3'], ['3'], [None]] == limits(made)
    unasked = limited(*[NodeAnswer(429, {DECLINED: '1'})] * 3)
    unasked.app.replicas.limits = lambda *_arguments: None
    assert expected == unasked.ask()[0]
    assert [[None]] * 3 == limits(unasked)


def test_policy_adaptive_sends_limits_once_nodes_report_load(cluster):
    tombstone = missing(OLDER)
    tombstone.headers.update(HEADER)
    made = cluster(*[tombstone] * 3, lb_policy='adaptive')
    made.ask()
    assert [[None]] * 3 == limits(made)
    made.ask()
    # each node has 9 requests of others: 1.25 x (1 + 9) - 1, rounded down
    assert ['11', '11', 'none'] == sorted(node[1] or 'none' for node in limits(made))


def test_if_computing_the_limits_raises_no_limit_is_sent(limited, monkeypatch):
    made = limited(*[busy(stored(BODY))] * 3)
    ledger = ledger_of(made)
    with monkeypatch.context() as breakage:
        breakage.setattr(Weighted, 'limits', broken)
        assert (200, BODY) == made.ask()
    assert {'limits': 1} == flushed(made, ledger)
    assert [[None], [], []] == limits(made)
    monkeypatch.setattr(type(made.app.replicas.book), 'begin', broken)
    assert (200, BODY) == made.ask()        # a read that is not measured can be declined
    assert [[None, '3'], ['3'], [None]] == limits(made)


def test_take_back_drops_a_declining_answer_from_all_lists():
    statuses, reasons = [404, 429, 404], ['a', 'ours', 'b']
    bodies, headers = ['a', 'b', 'ours'], [[], [], [(DECLINED.lower(), '1')]]
    take_back(statuses, reasons, bodies, headers)
    assert ([404, 404], ['a', 'b'], ['a', 'b'], [[], []]) == (statuses, reasons, bodies, headers)
    take_back(statuses, reasons, bodies, headers)
    assert [404, 404] == statuses
