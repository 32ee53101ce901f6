"""The Shedder: the share of requests it refuses changes smoothly; light ones come last."""
import random

import pytest

from swift_lb.dispatch.content import COMPUTING, LARGE, LIGHT, SMALL
from swift_lb.dispatch.shedding import (
    FELT,
    LATEST,
    LONG,
    MAX_SHARE,
    MUCH_SLOWER,
    RISE,
    SLOWER,
    SOONEST,
    Shedder,
    retry_after,
    wanted,
)

MUCH = 2 * MAX_SHARE    # the most that is ever wanted


def shedding(seconds, aim=MUCH, every=0.1):
    """Return a Shedder that was told to aim at the level `aim` every `every` s for `seconds`."""
    shedder = Shedder()
    for turn in range(round(seconds / every) + 1):
        shedder.update(aim, turn * every)
    return shedder


@pytest.mark.parametrize(('expected', 'alone', 'level'), [
    (LONG, LONG / MUCH_SLOWER, MAX_SHARE),      # both limits are reached
    (8.0, 1.0, MAX_SHARE / 2),                  # long requests: half of the way from 4 to 12
    (2.0, 0.01, MAX_SHARE / 2),                 # short ones: half of the way from 1 to 3 s
    (100.0, 0.01, 2 * MAX_SHARE),               # light ones, too
    (SLOWER, 1.0, 0.0), (30.0, 10.0, 0.0),      # it takes long, without a queue
    (FELT, 0.01, 0.0), (0.1, 0.001, 0.0)])      # a queue that no client feels
def test_the_wanted_refusal_grows_with_a_queue_that_clients_feel(expected, alone, level):
    assert wanted(expected, alone) == pytest.approx(level)


def test_no_request_is_refused_without_overload():
    shedder = shedding(60.0, aim=0.0)
    assert 0.0 == shedder.level
    assert not shedder.sheds(COMPUTING, MUCH, random.Random(1))


@pytest.mark.parametrize('every', [0.01, 0.1, 1.0])
@pytest.mark.parametrize(('seconds', 'share', 'light'), [
    (0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (5.0, 0.5, 0.0), (9.0, 0.9, 0.0), (12.0, 0.9, 0.3),
    (60.0, 0.9, 0.9)])
def test_refusals_grow_and_reach_light_requests_last(seconds, share, light, every):
    shedder = shedding(seconds, every=every)
    assert [share] * 3 + [light] == pytest.approx(
        [shedder.share(content, MUCH) for content in (SMALL, LARGE, COMPUTING, LIGHT)])


@pytest.mark.parametrize(('seconds', 'updates', 'level'), [
    (0.0, [(MUCH, 3600.0)], RISE),      # after a pause, one step
    (5.0, [(MUCH, 1.0), (MUCH, 5.0)], 0.5),     # a clock set back
    (5.0, [(0.4, 60.0), (0.4, 61.0)], 0.4),
    (5.0, [(0.0, 6.0)], 0.4), (5.0, [(0.0, second) for second in range(6, 20)], 0.0)])
def test_the_level_of_refusal_moves_to_its_aim_in_steps(seconds, updates, level):
    shedder = shedding(seconds)
    for aim, now in updates:
        shedder.update(aim, now)
    assert shedder.level == pytest.approx(level)


def test_a_proxy_without_a_queue_refuses_no_request():
    shedder = shedding(60.0)
    assert [0.0, 0.0] == [shedder.share(content, 0.0) for content in (SMALL, LIGHT)]
    assert 0.3 == pytest.approx(shedder.share(SMALL, 0.3))


def test_requests_are_refused_at_random_in_the_share_wanted():
    shedder, rng = shedding(5.0), random.Random(1)
    refused = sum(shedder.sheds(SMALL, MUCH, rng) for _ in range(10_000))
    assert refused == pytest.approx(5000, abs=4 * 50)       # four standard deviations
    assert not any(shedder.sheds(LIGHT, MUCH, rng) for _ in range(100))


def test_retry_after_is_a_random_number_of_whole_seconds():
    rng = random.Random(1)
    assert set(range(SOONEST, LATEST + 1)) == {retry_after(rng) for _ in range(1000)}
