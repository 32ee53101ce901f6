"""Policies of other software and papers: results as in their own tests, or worked by hand."""
import math
import random
from collections import Counter

import pytest

from swift_lb.load.book import LoadBook
from swift_lb.load.feedback import Averages, Feedback, PulledFeedback
from swift_lb.load.median_time import Median, MedianTime
from swift_lb.load.peak_time import Peak, PeakTime
from swift_lb.load.probe import Limit, Probe, ProbeResult
from swift_lb.model import DeviceReport, Node, NodeLoad, Snapshot
from swift_lb.policy import POLICIES, kinds_of, make_policy
from swift_lb.policy.in_flight import PENALTY
from swift_lb.replica_options import ReplicaOptions

A, B, C = NODES = [Node(f'10.0.0.{i}', 6200, 'sda') for i in (1, 2, 3)]
NOW = 100.0


def made(name):
    return make_policy(ReplicaOptions(policy=name))


def order(name, loads, seed=1, **more):
    return made(name).order(NODES, Snapshot(loads, **more), NOW, random.Random(seed))


def orders(name, loads, rounds=3000, **more):
    """Return {order as a tuple of nodes: times} of the orders with `rounds` random seeds."""
    return Counter(tuple(order(name, loads, seed, **more)) for seed in range(rounds))


def first(name, loads, rounds=3000, **more):
    """Return {node: fraction of `rounds` orders in which it came first}."""
    counter = Counter()
    for ordered, count in orders(name, loads, rounds, **more).items():
        counter[ordered[0]] += count
    return {node: counter[node] / rounds for node in NODES}


def near(*shares):
    # 3000 draws: the standard deviation of a share is at most 0.0091, five of them 0.046
    return {node: pytest.approx(share, abs=0.046)
            for node, share in zip(NODES, shares, strict=True)}


def known(kind, view, **facts):
    return NodeLoad(evidence={kind: view}, **facts)


def test_kinds_of_policies_list_each_evidence_class_once():
    assert kinds_of(['shuffle', 'c3', 'lb_rlt', 'peak_ewma', 'c3']) == (Feedback, PeakTime)
    assert kinds_of(['shuffle', 'weighted', 'least_in_flight']) == ()


def test_least_in_flight_prefers_the_node_with_fewest_reads():
    loads = {A: NodeLoad(in_flight=2), B: NodeLoad(in_flight=1), C: NodeLoad(in_flight=3)}
    assert [B, A, C] == order('least_in_flight', loads)
    # B and C have none: each is first half of the time
    assert near(0, 0.5, 0.5) == first('least_in_flight', {A: NodeLoad(in_flight=1)})


def test_two_choices_never_puts_the_worst_node_first():
    loads = {A: NodeLoad(in_flight=0), B: NodeLoad(in_flight=1), C: NodeLoad(in_flight=9)}
    # pairs AB, AC, BC are equally likely: A wins two of them, B one
    assert near(2 / 3, 1 / 3, 0) == first('two_choices', loads)
    # of the two left the better comes next
    assert {(A, B, C), (B, A, C)} == set(orders('two_choices', loads))


# ===== peak_ewma

@pytest.mark.parametrize(('name', 'load', 'cost'), [
    ('peak_ewma', known(PeakTime, Peak(0.010, NOW), in_flight=9), 0.010),   # 9 have a first byte
    ('peak_ewma', known(PeakTime, Peak(1.0, NOW - 10)), 1 / math.e),
    ('peak_ewma', NodeLoad(queued=1), PENALTY + 1),
    ('c3', known(Feedback, Averages(0.030, 0.010, 0.0)), 0.030)])   # idle: the response time
def test_costs_of_the_policies_equal_those_worked_by_hand(name, load, cost):
    assert made(name).cost(A, Snapshot({A: load}, met=3), NOW) == pytest.approx(cost)


def test_peak_ewma_multiplies_the_peak_time_and_the_queue():
    # 20 ms x (3 + 1) = 80 ms; 50 ms x (0 + 1) = 50 ms; 10 ms x (6 + 1) = 70 ms
    loads = {A: known(PeakTime, Peak(0.020, NOW), queued=3),
             B: known(PeakTime, Peak(0.050, NOW)),
             C: known(PeakTime, Peak(0.010, NOW), queued=6)}
    policy, snapshot = made('peak_ewma'), Snapshot(loads)
    assert [pytest.approx(cost) for cost in (0.080, 0.050, 0.070)] == [
        policy.cost(node, snapshot, NOW) for node in NODES]
    assert near(0, 2 / 3, 1 / 3) == first('peak_ewma', loads)


def test_peak_ewma_sends_one_read_to_a_node_without_history():
    # Finagle: "Probe a node without latency history at most once"
    book, policy, rng = LoadBook((PeakTime,)), made('peak_ewma'), random.Random(1)
    for node in (A, B):
        book.begin(node, 0.0).chunk(1, 1.0)
    reads, probes = [], 0
    for _read in range(100):
        node = policy.order(NODES, book.snapshot(NODES), 1.0, rng)[0]
        probes += node == C
        reads.append(book.begin(node, 1.0))
    assert probes == 1


# ===== c3

def test_the_score_of_c3_equals_one_worked_by_hand():
    # R 20 ms, 1/mu 4 ms, qbar 2, 1 in flight, 3 clients: q = 1 + 1 x 3 + 2 = 6
    # 20 - 4 + 6^3 x 4 = 880 ms
    loads = {A: known(Feedback, Averages(0.020, 0.004, 2.0), in_flight=1)}
    policy, snapshot = made('c3'), Snapshot(loads, met=3)
    assert pytest.approx(0.880) == policy.cost(A, snapshot, NOW)
    assert policy.explain(A, NODES, snapshot, NOW) == (
        'score 880 ms: R 20 ms, 1/mu 4 ms, q 1 + 1 x 3 + 2')


def test_c3_bounds_the_queue_of_a_fast_node():
    # the paper's point: with a plain queue, a node 5 times faster would get a queue 5 times as
    # long; cubed, 5^(1/3) = 1.71 times. 1 + q: 10 against 17 or 18
    def leads(queue):
        loads = {A: known(Feedback, Averages(0.0, 0.020, 9.0)),
                 B: known(Feedback, Averages(0.0, 0.004, queue))}
        return order('c3', loads, seed=1)[1]    # C is unknown, and so first
    assert [leads(15.0), leads(17.0)] == [B, A]


@pytest.mark.parametrize('name', ['c3', 'elastic_ars'])
def test_c3_and_elastic_ars_put_a_node_without_statistics_first(name):
    kind, = POLICIES[name].kinds
    loads = {A: known(kind, Averages(1e-6, 1e-6, 0)), B: known(kind, Averages(1e-6, 1e-6, 0)),
             C: NodeLoad(in_flight=50, queued=50)}
    assert near(0, 0, 1) == first(name, loads, met=3)
    assert made(name).explain(C, NODES, Snapshot(loads), NOW) == 'nothing known: tried first'


# ===== elastic_ars: OperationRoutingTests, addNodeStatistics(queue, response, service) in ms

def statistics(book, node, queue, response, service):
    """Complete a read of `node` as in Elasticsearch's addNodeStatistics(); times are in ms."""
    read = book.begin(node, 0.0)
    read.chunk(1, response / 1000)
    read.reported(DeviceReport(queue, service / 1000), response / 1000)
    read.complete()


def ranks(book):
    snapshot = book.snapshot(NODES)
    return [pytest.approx(made('elastic_ars').cost(node, snapshot, NOW) * 1000) for node in NODES]


def choose(book, nodes):
    """Return the node that `elastic_ars` puts first; note in the book that it was chosen."""
    best, *others = made('elastic_ars').order(nodes, book.snapshot(nodes), NOW, random.Random(1))
    book.chosen(best, NOW, others)
    return best


def test_elastic_ars_selects_nodes_as_in_elasticsearchs_own_test():
    book = LoadBook((PulledFeedback,))
    for node, figures in zip(NODES, [(2, 200, 150), (1, 150, 50), (1, 200, 200)], strict=True):
        statistics(book, node, *figures)
    # 200 - 150 + 3^3 x 150; 150 - 50 + 2^3 x 50; 200 - 200 + 2^3 x 200
    assert [4100, 500, 1600] == ranks(book)
    assert B == choose(book, NODES)    # "node 1 should be the lowest ranked node to start"
    statistics(book, B, 1, 200, 100)
    assert B == choose(book, NODES)
    statistics(book, B, 1, 250, 200)
    assert B != choose(book, NODES)    # the others were pulled to it, and B has become slower


def test_elastic_ars_counts_reads_in_flight_like_elasticsearch():
    book = LoadBook((PulledFeedback,))
    statistics(book, A, 1, 50, 40)
    statistics(book, B, 1, 51, 40)
    pair = [A, B]
    policy, rng, reads = made('elastic_ars'), random.Random(1), []
    for _read in range(2):
        best = policy.order(pair, book.snapshot(pair), NOW, rng)[0]
        reads.append(book.begin(best, NOW))
    assert {A, B} == {read.node for read in reads}      # "we choose to search over both nodes"


def test_elastic_ars_moves_averages_toward_the_first_nodes():
    book = LoadBook((PulledFeedback,))
    statistics(book, A, 2, 200, 150)
    statistics(book, B, 1, 150, 50)
    book.chosen(B, NOW, [A, C])
    result = book.snapshot(NODES)
    # response: the mean of both is 175; 0.3 x 175 + 0.7 x 200 = 192.5. service: 0.3 x 100 + 0.7 x
    # 150 = 135. queue: (1 + 2) // 2 = 1; 0.3 x 1 + 0.7 x 2 = 1.7, as a whole number 1
    assert result.of(A).evidence[PulledFeedback] == (
        pytest.approx(0.1925), pytest.approx(0.135), 1)
    assert result.of(B).evidence[PulledFeedback] == (pytest.approx(0.150), 0.050, 1)
    assert C not in result.loads


def test_elastic_ars_retries_an_avoided_node_without_new_answers():
    book = LoadBook((PulledFeedback,))
    statistics(book, A, 0, 1000, 1000)
    statistics(book, B, 1, 20, 10)
    orders_until = next(number for number in range(1000) if choose(book, [A, B]) == A)
    # (1 - 0.15)^n of the distance is left: 1000 ms x 0.85^n + 10 x 2^3 < 90 ms at n = 27 or so
    assert 10 < orders_until < 60


# ===== prequal

def probed(*probes, at=NOW):
    return {node: known(Probe, ProbeResult(in_flight, latency, at))
            for node, (in_flight, latency) in zip(NODES, probes, strict=False)}


@pytest.mark.parametrize(('probes', 'expected'), [
    # (in_flight, latency) of A, B, C; more than 5 is hot
    (((0, 0.009), (5, 0.003), (4, 0.020)), [B, A, C]),    # all cold: by latency
    (((6, 0.001), (5, 0.009), (0, 0.020)), [B, C, A]),    # the hot last, however fast
    (((6, 0.009), (9, 0.001), (2, 0.500)), [C, A, B]),    # the only cold one first, however slow
    (((9, 0.001), (7, 0.005), (8, 0.002)), [B, C, A]),    # all hot: by in_flight
])
def test_prequal_orders_cold_nodes_by_latency_before_hot_ones(probes, expected):
    assert expected == order('prequal', probed(*probes), common={Probe: Limit(5)})


def test_prequal_ignores_probe_results_older_than_a_second():
    loads = probed((0, 0.001), (0, 0.002), (0, 0.003))
    stale = loads | {A: known(Probe, ProbeResult(0, 0.001, NOW - 1.01), queued=1)}
    assert [B, C, A] == order('prequal', stale, common={Probe: Limit(5)})
    just = loads | {A: known(Probe, ProbeResult(0, 0.001, NOW - 1.0), queued=1)}
    assert [A, B, C] == order('prequal', just, common={Probe: Limit(5)})


def test_prequal_with_fewer_than_two_probes_orders_at_random():
    third = 1 / 3
    assert near(third, third, third) == first('prequal', probed((0, 0.001)),
                                              common={Probe: Limit(5)})


def test_prequal_sends_one_read_to_a_node_without_a_probe():
    pool = {node: known(Probe, ProbeResult(0, latency, NOW))
            for node, latency in ((B, 0.001), (A, 0.002))}
    assert near(0, 2 / 3, 1 / 3) == first('prequal', pool, common={Probe: Limit(5)})
    asked = pool | {C: NodeLoad(queued=1)}
    assert {(B, A, C)} == set(orders('prequal', asked, 50, common={Probe: Limit(5)}))


def test_prequal_adds_the_read_it_sends_to_the_nodes_in_flight():
    book = LoadBook((Probe,))
    for node in NODES:
        read = book.begin(node, 99.0)
        read.chunk(1, 99.5)
        read.reported(DeviceReport(4, 0.010), 99.5)
        read.complete()
    book.chosen(A, NOW, [B, C])
    result = book.snapshot(NODES)
    assert [5, 4, 4] == [result.of(node).evidence[Probe].in_flight for node in NODES]
    assert result.of(A).evidence[Probe].latency == pytest.approx(0.050)     # (4 + 1) x 10 ms


# ===== cassandra_snitch

def medians(*seconds):
    return {node: known(MedianTime, Median(median))
            for node, median in zip(NODES, seconds, strict=False)}


def test_cassandra_snitch_is_random_if_medians_are_within_10_pct():
    third = 1 / 3
    assert near(third, third, third) == first('cassandra_snitch', medians(0.010, 0.0109, 0.0105))
    # C is 12 % worse than A: wherever chance puts it before A or B, all are sorted
    result = first('cassandra_snitch', medians(0.010, 0.0105, 0.0112))
    assert result[C] == 0
    assert near(1, 0, 0) == first('cassandra_snitch', medians(0.010, 0.020, 0.030))


def test_cassandra_snitch_puts_an_unmeasured_node_first():
    assert near(0, 0, 1) == first('cassandra_snitch', medians(0.010, 0.010))


def test_cassandra_snitch_passes_cassandras_own_test():
    # DynamicEndpointSnitchTest: rounds of timings in ms, 150 ms apart
    book, policy, now = LoadBook((MedianTime,)), made('cassandra_snitch'), 0.05

    def set_scores(rounds, *scores):
        nonlocal now
        for _round in range(rounds):
            for node, score in zip(NODES, scores, strict=True):
                book.begin(node, now - score / 1000).chunk(1, now)
        now += 0.15
        book.chosen(A, now, [B, C])     # the timer's part
        snapshot = book.snapshot(NODES)
        assert all(policy.knows(node, snapshot, now) for node in NODES)
        return (Counter(policy.order(NODES, snapshot, now, random.Random(seed))[0]
                        for seed in range(60)),
                [round(policy.cost(node, snapshot, now) * 1000) for node in NODES])

    # a value of 150 ms ago has e^(-0.75 x 0.15) = 0.894 of a new one's weight
    assert set_scores(1, 10, 10, 10)[1] == [10, 10, 10]
    chosen, result = set_scores(1, 20, 10, 10)     # "make hosts[1] a little worse"
    assert (result, set(chosen)) == ([20, 10, 10], {B, C})
    chosen, result = set_scores(2, 15, 20, 10)     # "make hosts[2] as bad as hosts[1]"
    assert (result, set(chosen)) == ([15, 20, 10], {C})
    # "make hosts[3] the worst": of 10 ms it has 1 + 1.12 + 2 x 1.25 = 4.62, of 30 ms 3 x 1.40 =
    # 4.20 of the weight, so its median is 10 ms yet: all equal
    chosen, result = set_scores(3, 10, 10, 30)
    assert (result, set(chosen)) == ([10, 10, 10], {A, B, C})
    assert set_scores(5, 10, 10, 10)[1] == [10, 10, 10]


@pytest.mark.parametrize('name', ['c3', 'cassandra_snitch', 'elastic_ars', 'least_in_flight',
                                  'peak_ewma', 'prequal', 'two_choices'])
def test_explanations_say_whether_a_node_is_known(name):
    book = LoadBook(kinds_of([name]))
    statistics(book, A, 1, 20, 10)
    snapshot = book.snapshot(NODES)
    reasons = [made(name).explain(node, NODES, snapshot, 0.1) for node in (A, B)]
    assert ('nothing known' in reasons[1]) is bool(POLICIES[name].kinds)
    assert 'nothing known' not in reasons[0]
