"""Forecasts of links and of other clusters' times, and when a link is probed."""
import pytest

from swift_lb.model import ClientPath, ClusterSummary, ContentTime
from swift_lb.service.cluster_forecasts import (
    FIRST,
    FIRST_AFTER,
    MAX_PATHS,
    PROBE_AFTER,
    Bandwidth,
    HeardForecasts,
    LinkBandwidths,
    SampleTurns,
)
from swift_lb.wire.cluster_summary import LEAST_RATE, MAX_RATE
from swift_lb.wire.observations import MOST_BYTES


def summary(times=(), paths=()):
    """Return a ClusterSummary of the cluster b."""
    return ClusterSummary('b', 'n', 1, 1, 0.0, 2.0, '', 1, None, None, times=times, paths=paths)


def test_the_forecast_of_a_steady_link_is_its_rate_with_a_small_error():
    links = LinkBandwidths()
    assert Bandwidth() == links.forecast('b')
    links.add('b', 2e6, 1.0)
    assert (pytest.approx(2e6), None) == links.forecast('b')
    for number in range(20):
        links.add('b', 2e6 * (1.1 if number % 2 else 1 / 1.1), 1.0)
    forecast = links.forecast('b')
    assert pytest.approx(2e6, rel=0.15) == forecast.value
    assert 0.0 < forecast.error < 0.3 * forecast.value


def test_a_forecast_stays_within_what_a_summary_can_tell():
    links = LinkBandwidths()
    for number in range(10):
        links.add('b', MAX_RATE if number % 2 else 1e-9, 1.0)
    assert max(links.forecast('b')) <= MAX_RATE
    links.add('c', 1e-9, 1.0)
    assert LEAST_RATE == links.forecast('c').value


def test_a_link_is_probed_30_seconds_after_the_last_sample_or_probe():
    links = LinkBandwidths()
    for number in range(FIRST):
        links.add('b', 1e9, 140.0 - FIRST + number)
    assert not links.is_due('b', 138.0 + PROBE_AFTER)
    assert links.is_due('b', 139.0 + PROBE_AFTER)
    assert not links.is_due('b', 138.0 + 2 * PROBE_AFTER)
    assert links.is_due('b', 139.0 + 2 * PROBE_AFTER)


def test_a_link_is_probed_sooner_until_the_error_of_its_forecast_is_known():
    links, now = LinkBandwidths(), 100.0
    for _number in range(FIRST):
        assert links.is_due('b', now)
        assert not links.is_due('b', now + FIRST_AFTER - 0.1)
        links.add('b', 1e9, now)
        now += FIRST_AFTER
    assert not links.is_due('b', now)


def test_a_link_whose_round_trip_became_quite_another_is_measured_anew():
    links = LinkBandwidths()
    links.follow('b', 0.4)
    for number in range(20):
        links.add('b', 2e5, 100.0 + number)
    links.follow('b', 0.11)
    assert not links.is_due('b', 119.0 + FIRST_AFTER)
    links.follow('b', 0.1)
    assert 2e5 == pytest.approx(links.forecast('b').value)      # until a sample comes
    assert links.is_due('b', 119.0 + FIRST_AFTER)
    links.add('b', 2.5e6, 124.0)
    assert (pytest.approx(2.5e6), None) == links.forecast('b')
    assert 21 == links.samples['b']


@pytest.mark.parametrize('rate', [1e4, 1e6, 2.5e6])
def test_probes_take_a_hundredth_of_the_bandwidth_at_most(rate):
    links = LinkBandwidths()
    for _number in range(FIRST):
        links.add('b', rate, 0.0)
    links.note_probe('b', MOST_BYTES)
    seconds = 200_000
    probes = sum(links.is_due('b', float(now)) for now in range(seconds))
    assert 0 < probes * MOST_BYTES <= 0.01 * rate * seconds


def test_times_of_other_clusters_are_forecast_with_their_error_and_last_step():
    heard = HeardForecasts()
    assert {} == heard.times('b')
    heard.hear_times(summary((ContentTime('small', 0.02, 0.001),)), 100.0)
    assert (0.02, None, 0.001) == heard.times('b')['small']
    for number in range(1, 6):
        heard.hear_times(summary((ContentTime('small', 0.03, 0.002),)), 100.0 + 2 * number)
    forecast = heard.times('b')['small']
    assert (pytest.approx(0.03, rel=0.3), 0.002) == (forecast.seconds, forecast.step)
    assert forecast.error > 0
    heard.hear_times(summary(), 120.0)
    assert {} == heard.times('b')       # a class that is no longer served there
    heard.forget(())
    assert {} == heard.paths(0.0)


def test_of_many_clusters_not_all_times_are_learned():
    heard, names = HeardForecasts(), [f'c{number}' for number in range(18)]
    for number in range(18):        # 36 s
        for name in names:
            heard.hear_times(summary((ContentTime('small', 0.01 * number, 0.001),))._replace(
                cluster=name), 2.0 * number)
    learned = {name: heard.times(name)['small'].seconds for name in names}
    assert all(0.01 < seconds <= 0.17 for seconds in learned.values())
    heard.hear_times(summary((ContentTime('small', 9.0, 9.0),))._replace(cluster='c0'), 30.0)
    assert heard.times('c0')['small'].step == 0.001       # it was learned less than 18 s ago


def test_client_paths_are_kept_for_ten_minutes_and_in_bounded_number():
    heard = HeardForecasts()
    old, new = ClientPath('10.0.0.0/24', 0.1, 1e6), ClientPath('10.0.1.0/24', 0.2, 1e6)
    heard.hear_paths(summary(paths=(old,)), 100.0)
    heard.hear_paths(summary(paths=(new,)), 400.0)
    assert {'b': {one.network: one for one in (old, new)}} == heard.paths(700.0)
    assert {'b': {new.network: new}} == heard.paths(701.0)
    for number in range(MAX_PATHS):
        heard.hear_paths(summary(paths=(new._replace(network=f'10.1.{number}.0/24'),)), 701.0)
    assert MAX_PATHS == len(heard.paths(701.0)['b'])


def test_of_the_summaries_of_two_speakers_one_an_interval_counts():
    heard = HeardForecasts()
    for number in range(10):
        now = 100.0 + number        # an interval is 2 s
        heard.hear_times(summary((ContentTime('small', 0.5 if number % 2 else 0.02, 0.0),)), now)
    assert (pytest.approx(0.02), 0.0) == heard.times('b')['small'][:2]


@pytest.mark.parametrize(('clusters', 'rounds'), [(1, 1), (2, 1), (4, 2), (18, 9)])
def test_of_two_clusters_a_value_an_interval_is_learned_and_of_more_fewer(clusters, rounds):
    turns = SampleTurns()
    names = [f'c{number}' for number in range(clusters)]
    learned = [name for second in range(72) for name in names
               if turns.is_due(name, 2.0, float(second))]
    assert {*names} == {*learned}
    for name in names:
        assert learned.count(name) == pytest.approx(36 / rounds, abs=2)
    turns.forget(())
    assert turns.is_due('c0', 2.0, 72.0)
