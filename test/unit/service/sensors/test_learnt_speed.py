"""When a rate is believed to be a link's limit, and when it is not."""
import random

import pytest

from swift_lb.service.sensors.learnt_speed import LEAST, RUN, SPELLS, LearntSpeed

GIGABIT = 1e9
SPELL = [GIGABIT] * (RUN + 1)       # the first reading is the lesser of itself and the one before
LULL = [0.1 * GIGABIT] * 2


def learnt(*rates):
    speed = LearntSpeed()
    for rate in rates:
        speed.see(rate)
    return speed.speed


def test_nothing_is_known_of_a_link_that_is_idle_or_never_met():
    assert learnt() is None
    assert learnt(*[0.0] * 1000) is None


def test_the_limit_is_believed_after_so_many_spells_and_not_one_reading_before():
    spells = (SPELL + LULL) * (SPELLS - 1) + SPELL
    assert GIGABIT == learnt(*spells)
    assert learnt(*spells[:-1]) is None


def test_one_long_spell_is_not_several():
    assert learnt(*SPELL * 100) is None


def test_a_dip_does_not_end_a_spell():
    dip = [0.9 * GIGABIT] * 2
    assert learnt(*(SPELL + dip) * 10) is None


def test_a_spell_that_is_too_short_is_none():
    assert learnt(*(SPELL[:RUN] + LULL) * 100) is None


def test_a_run_that_is_broken_is_none():
    broken = [GIGABIT] * RUN + [0.9 * GIGABIT]
    assert learnt(*(broken * 3 + LULL) * 100) is None


def test_readings_at_the_limit_differ_a_bit():
    rng = random.Random(7)
    rates = [rate * rng.uniform(0.97, 1.0) for rate in (SPELL + LULL) * 20]
    assert pytest.approx(GIGABIT, rel=0.03) == learnt(*rates)


def test_rates_that_go_up_and_down_are_no_limit():
    rng = random.Random(7)
    assert learnt(*(rng.uniform(0, GIGABIT) for _ in range(20000))) is None


def test_a_greater_rate_starts_anew_and_is_learnt_in_turn():
    known = (SPELL + LULL) * SPELLS
    greater = [2 * rate for rate in known]
    assert learnt(*known, *greater[:3]) is None
    assert 2 * GIGABIT == learnt(*known, *greater)


def test_a_limit_that_creeps_is_none():
    rates, rate = [], LEAST
    while rate < 1000 * LEAST:
        rates += [rate] * (RUN + 1) + [0.0] * 2
        rate *= 1.04
    assert learnt(*rates) is None


def test_a_late_reading_does_not_count():
    late = [2 * GIGABIT, 0.0]       # two seconds' worth in one, then nothing left for the next
    assert GIGABIT == learnt(*(SPELL + LULL) * SPELLS, *late)


def test_a_slow_trickle_is_never_a_limit():
    trickle = [rate * 0.99 * LEAST / GIGABIT for rate in (SPELL + LULL) * 50]
    assert learnt(*trickle) is None
