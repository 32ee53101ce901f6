"""Observations as datagrams: exact, bounded, and refused if they are anything else."""
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import EndedRedirect
from swift_lb.wire import observations
from swift_lb.wire.node_report import MAX_PAYLOAD
from swift_lb.wire.observations import (
    Observations,
    RelayedBody,
    SeenPath,
    SentReads,
    ServedTime,
    TakenRequests,
)

SEEN = Observations(
    'us.ksu', 'n1', 4711, 1, 2, 1700000000.5, (ServedTime('small', 0.03, 0.002, 12.5),),
    (RelayedBody('eu', 1e6, 0.5),),
    (SeenPath('198.51.100.0/24', 3.0, 0.02, 1e6), SeenPath('2001:db8::/48', 1.0, 0.2, None)),
    (SentReads('eu', 12.0, 3.0, 10.0, 4.5, 4.25),), (TakenRequests('asia', 7.0),),
    (('eu', EndedRedirect('0123abcd', -0.5, 0.25)), ('eu', EndedRedirect('ffffffff', 2.0, None)),
     ('us', EndedRedirect('0123abce', 2.0, 0.5, True))))


def test_observations_are_the_same_after_they_were_encoded_and_decoded():
    assert SEEN == observations.decode(observations.encode(SEEN))
    empty = SEEN._replace(times=(), bodies=(), paths=(), sent=(), taken=(), ended=())
    assert empty == observations.decode(observations.encode(empty))


def test_bodies_and_paths_that_do_not_fit_a_datagram_are_left_out():
    many = SEEN._replace(
        bodies=tuple(RelayedBody(f'cluster-{number}', 1e6, 0.5) for number in range(64)),
        paths=tuple(SeenPath(f'10.0.{number}.0/24', 1.0, 0.08, 1e6) for number in range(64)))
    for some in (many, many._replace(bodies=())):
        payload = observations.encode(some)
        assert len(payload) <= MAX_PAYLOAD
        decoded = observations.decode(payload)
        assert some.bodies[:len(decoded.bodies)] == decoded.bodies
        assert some.paths[:len(decoded.paths)] == decoded.paths
        assert (some.sent, some.taken) == (decoded.sent, decoded.taken)
    assert len(decoded.paths) > 20


def test_fields_that_a_later_version_appends_are_ignored():
    fields = json.loads(observations.encode(SEEN))
    assert SEEN == observations.decode(json.dumps([*fields, 'more']).encode())


def test_a_worker_of_an_earlier_version_has_told_nothing_of_requests_of_other_clusters():
    fields = json.loads(observations.encode(SEEN))
    assert SEEN._replace(taken=(), ended=()) == observations.decode(
        json.dumps(fields[:-3]).encode())


@pytest.mark.parametrize(('place', 'value'), [
    (0, 2), (1, 'KSU'), (2, ''), (3, -1), (4, 1.5), (5, None), (6, 'now'), (6, float('nan')),
    (7, [['SMALL', 1, 0, 0]]), (7, [['small', -1, 0, 0]]), (7, [['small', 1, 0]]),
    (7, [['small', 1, 0, 0]] * 9), (8, [['eu', 0, 1]]), (8, [['eu', 1, 0]]), (8, [['EU', 1, 1]]),
    (8, {}), (9, [['net', 1, 1, 1]]), (9, [['10.0.0.0/24', 1, -1, 1]]),
    (9, [['10.0.0.0/24', 1, 1, -1]]), (9, [['10.0.0.0/24', 1, 1, 1]] * 65),
    (10, [['EU', 1, 1, 1, 1, 1]]), (10, [['eu', -1, 1, 1, 1, 1]]), (10, [['eu', 1, 1, 1, 1]]),
    (10, [['eu', 1, 1, 1, 1, -1]]), (11, 'eu'), (11, [['EU', 1]]), (11, [['eu', -1]]),
    (11, [['eu']]), (11, [['eu', 1]] * 65), (13, [['0123abcd', 0, 0]]), (13, None)])
def test_observations_with_an_invalid_field_are_refused(place, value):
    fields = json.loads(observations.encode(SEEN))
    fields[place] = value
    assert observations.decode(json.dumps(fields).encode()) is None


@given(st.one_of(st.binary(max_size=200), st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner),
    max_leaves=30).map(lambda value: json.dumps(value).encode())))
def test_no_bytes_raise_an_error_when_decoded_as_observations(payload):
    assert observations.decode(payload) is None


@given(st.integers(0, 11), st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner),
    max_leaves=10))
def test_no_field_raises_an_error_when_decoded(place, value):
    fields = json.loads(observations.encode(SEEN))
    fields[place] = value
    decoded = observations.decode(json.dumps(fields).encode())
    assert decoded is None or decoded == observations.decode(observations.encode(decoded))
