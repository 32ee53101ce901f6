"""Random Reports of agents, for tests of the wire format, of the plan and of the agent."""
import random
import string

from hypothesis import strategies as st

from swift_lb.model import CRITICAL, DISABLED, DRAINING, LATE, REJECTED, UP, Heard, Report
from swift_lb.wire.node_report import (
    MAX_FLOWS,
    MAX_INTERVAL,
    MAX_RATE,
    MIN_RATE,
    PLANNED_STATES,
    Neighbour,
)

FIRST = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits + '_'


def names(most=63):
    """Return a Hypothesis strategy of node names, each at most `most` characters long."""
    return st.builds(str.__add__, st.sampled_from(FIRST),
                     st.text(FIRST + '._-', max_size=most - 1))


METRICS = st.dictionaries(
    st.builds(str.__add__, st.sampled_from(string.ascii_lowercase), st.text(LOWER, max_size=31)),
    st.floats(-1e15, 1e15), max_size=32)
FRACTIONS = st.integers(0, 1_000_000).map(lambda parts: parts / 1_000_000)
WHOLE = st.integers(0, 2**63 - 1)
PROXIES = st.one_of(st.just(''), st.just('[2001:db8::1]:8080'), st.builds(
    '{}:{}'.format, st.ip_addresses(v=4), st.integers(1, 65535)))
FLOWS = st.dictionaries(names(), st.floats(MIN_RATE, MAX_RATE), max_size=MAX_FLOWS).map(
    lambda rates: tuple(sorted(rates.items(), key=lambda one: -one[1])))
REPORTS = st.builds(
    Report, names(), WHOLE, WHOLE, st.floats(0, 1e12), st.floats(0.1, MAX_INTERVAL), METRICS,
    PROXIES, st.sampled_from([UP, DRAINING, DISABLED]), FRACTIONS, st.none() | st.floats(0, 1e15),
    st.none() | st.floats(0, 1e15), st.sampled_from(PLANNED_STATES), st.none() | FRACTIONS,
    FRACTIONS, FRACTIONS, st.integers(0, 2**62 - 1), st.text('0123456789abcdef', max_size=16),
    st.text('0123456789abcdef', max_size=16), FLOWS)
NEIGHBOURS = st.lists(st.builds(
    Neighbour, names(), st.ip_addresses().map(str), st.integers(1, 65535)), max_size=40)

INTERVAL = 1.0
AGES = (0.0, 0.5, 2.9, 3.0, 3.1, 4.4, 4.6, 59.0, 61.0)      # seconds
STATES = (UP, UP, UP, DRAINING, DISABLED)


def metrics(chance, known=0.8):
    """Return random metrics, {name: value}; each is present with the probability `known`."""
    values = {'in_flight': float(chance.choice((0, 1, 5, 30, chance.randrange(2000)))),
              'response_time': chance.choice((0.001, 0.05, 1.0, 30 * chance.random() + 0.001)),
              'requests': chance.choice((0.0, 1.0, 5000 * chance.random())),
              **{name: chance.choice((0.0, 1.0, chance.random()))
                 for name in ('cpu', 'memory', 'network')}}
    return {name: value for name, value in values.items() if chance.random() < known}


def cluster(chance, least=1, most=9, ages=AGES, states=STATES, known=0.8):
    """Return {node: Heard}, random Reports of `least` to `most` nodes, as known at the instant 0.

    `ages` are seconds since a Report came; `states` are those that operators set.
    """
    heard = {}
    for number in range(chance.randint(least, most)):
        reject = chance.choice((None, None, 20.0, 300.0))
        report = Report(
            f'node-{number}', 7, chance.randrange(99), 1e9, INTERVAL, metrics(chance, known),
            proxy=f'10.0.0.{number}:8080', state=chance.choice(states),
            ramp=chance.choice((1.0, 1.0, 0.1, 0.55)), reject=reject,
            critical=None if reject is None else 2 * reject,
            told=chance.choice((UP, UP, UP, LATE, REJECTED, CRITICAL)),
            weight=chance.choice((None, 1.0, 0.1, chance.randint(100_000, 1_000_000) / 1e6)),
            keep=chance.choice((1.0, 1.0, 0.4, 0.03)), take=chance.choice((0.0, 0.1, 0.5)),
            generation=chance.randrange(20), digest=chance.choice(('', 'a' * 16)))
        heard[report.node] = Heard(report, -chance.choice(ages))
    return heard


def clusters(**limits):
    """Return a Hypothesis strategy of cluster(chance, **limits), seeded by one drawn integer."""
    return st.integers(0, 2**64).map(lambda seed: cluster(random.Random(seed), **limits))
