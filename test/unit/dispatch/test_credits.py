"""Token buckets: what all workers together send to a cluster is never more than it has granted."""
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.credits import BURST, CreditBuckets, credit_of
from swift_lb.model import Clusters, ClusterSummary, HeardCluster

STEPS = st.lists(st.tuples(st.floats(0.0, 0.5), st.integers(0, 5), st.integers(1, 20)),
                 min_size=1, max_size=60)


def clusters(credit, at, interval=2.0):
    """Return Clusters of `here`, which b grants `credit` requests a second at the instant `at`."""
    summary = ClusterSummary('b', 'n', 1, 1, 0.0, interval, '', 1, 0.0, 0.0,
                             credits=(('here', credit), ('other', 1e6)))
    return Clusters('here', {'b': HeardCluster(summary, at)})


def taken(buckets, now, most=10_000):
    """Return how many requests the CreditBuckets let go at the instant `now`."""
    return next((count for count in range(most) if not buckets.take('b', now)), most)


def test_a_worker_sends_its_part_of_its_clusters_credit():
    buckets = CreditBuckets()
    buckets.update(clusters(80.0, 0.0), 4 * 2, 0.0)
    assert taken(buckets, 0.0) == 0
    assert taken(buckets, 0.55) == 5
    assert taken(buckets, 5.0) == 10 == 80 / 8 * BURST
    assert not buckets.take('c', 5.0)
    assert not buckets.has('b', 5.0)
    assert buckets.has('b', 5.11)


def test_a_worker_that_does_not_know_how_many_send_sends_nothing():
    buckets = CreditBuckets()
    buckets.update(clusters(80.0, 0.0), 0, 0.0)
    assert 0 == taken(buckets, 5.0)


def test_the_credit_of_a_group_is_divided_equally_by_its_clusters():
    names = ('us.west.b', 'us.central', 'us.far', 'eu')
    summary = ClusterSummary('eu', 'n', 1, 1, 0.0, 2.0, '', 1, 0.0, 0.0,
                             credits=(('us', 60.0), ('asia', 7.0)))
    assert credit_of(Clusters('us.west.a', {}, names=names), summary) == 10.0
    assert credit_of(Clusters('us.far', {}, names=('us.west', 'us.central', 'eu')), summary) == 20.0
    assert credit_of(Clusters('us', {}, names=('eu',)), summary) == 60.0


def test_a_credit_expires_4_5_intervals_after_its_summary():
    buckets = CreditBuckets()
    buckets.update(clusters(80.0, 0.0), 1, 0.0)
    assert taken(buckets, 9.0) == 80
    assert taken(buckets, 9.6) == 0
    buckets.update(clusters(80.0, 20.0), 1, 20.0)
    assert taken(buckets, 20.0) == 0


def test_a_lower_credit_takes_the_saved_tokens_too():
    buckets = CreditBuckets()
    buckets.update(clusters(80.0, 0.0), 1, 0.0)
    buckets.update(clusters(3.0, 1.0), 1, 1.0)
    assert taken(buckets, 1.0) == 3
    buckets.update(None, 1, 1.5)
    assert not buckets.take('b', 2.0)


def test_a_slow_credit_lets_a_request_go_when_a_whole_token_has_come():
    buckets = CreditBuckets()
    buckets.update(clusters(0.5, 0.0), 1, 0.0)
    assert [taken(buckets, now) for now in (1.9, 2.0, 3.9, 4.0, 8.9)] == [0, 1, 0, 1, 1]


@given(STEPS, st.lists(st.sampled_from([0.0, 0.5, 7.0, 50.0]), min_size=1, max_size=8),
       st.integers(1, 3), st.integers(1, 3))
def test_all_workers_together_send_at_most_the_credit_and_a_burst(steps, rates, hosts, workers):
    buckets = [CreditBuckets() for _worker in range(hosts * workers)]
    now, granted, credit, sent, most = 0.0, 0.0, 0.0, 0, 0.0
    for number, (pause, chosen, wanted) in enumerate(steps):
        now, granted = now + pause, granted + credit * pause
        if number % 5 == 0:
            credit = rates[number // 5 % len(rates)]
            most = max(most, credit)
            for bucket in buckets:
                bucket.update(clusters(credit, now), len(buckets), now)
        sent += taken(buckets[chosen % len(buckets)], now, wanted)
        burst = len(buckets) * max(1.0, BURST * most / len(buckets))
        assert sent <= granted + burst + 1e-6
