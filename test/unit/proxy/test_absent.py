"""When a real swift.proxy.server.Application says that an object is absent from its cluster."""
import pytest
from support.proxy_app import request
from support.scripted_node import NodeAnswer, ScriptedNode
from support.stored_object import TIMESTAMP, missing, stored

from swift_lb.proxy.seam import ABSENT

GONE, TOMBSTONE = missing(), missing(TIMESTAMP)     # Swift answers like TOMBSTONE if it has expired
policies = pytest.mark.parametrize('policy', [0, 1])    # 1 is erasure-coded


def said(made, method='GET', policy=0):
    """Return (status of the answer, whether the object is absent: None if that is not said)."""
    read = request(method=method, policy=policy)
    return read.get_response(made.app).status_int, read.environ.get(ABSENT)


@policies
@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_an_object_is_absent_if_all_primaries_answer_404_without_a_tombstone(
        cluster, method, policy):
    assert (404, True) == said(cluster(GONE, GONE, GONE), method, policy)


@policies
def test_404s_of_handoffs_do_not_change_that(cluster, policy):
    assert (404, True) == said(cluster(*[GONE] * 5, replicas=3), policy=policy)


@policies
@pytest.mark.parametrize('place', [0, 1, 2])
def test_an_object_that_was_deleted_or_has_expired_is_not_absent(cluster, place, policy):
    nodes = [GONE] * 3
    nodes[place] = TOMBSTONE
    assert (404, False) == said(cluster(*nodes), policy=policy)


@policies
@pytest.mark.parametrize('answer', [NodeAnswer(503), NodeAnswer(507), 'refuses'])
@pytest.mark.parametrize('place', [0, 1, 2])
def test_with_a_primary_that_fails_an_object_is_not_absent(cluster, place, answer, policy):
    nodes = [GONE] * 3
    nodes[place] = ScriptedNode(device=f'sd{place + 1}', refuses=True) if (
        answer == 'refuses') else answer
    _status, absent = said(cluster(*nodes), policy=policy)
    assert not absent


@policies
@pytest.mark.parametrize('number', [1, 2, 3])
def test_with_an_error_limited_primary_an_object_is_not_absent(cluster, number, policy):
    made = cluster(*[GONE] * 5, replicas=3)         # a handoff is asked in its place
    made.error_limit(number)
    assert (404, False) == said(made, policy=policy)


@policies
@pytest.mark.parametrize('answer', [TOMBSTONE, NodeAnswer(403)])
def test_a_handoff_with_a_tombstone_or_another_answer_counts(cluster, answer, policy):
    made = cluster(*[GONE] * 5, replicas=3)
    made.nodes[made.number_of(made.handoffs()[0]) - 1].script = answer
    assert (404, False) == said(made, policy=policy)


def test_nothing_is_said_of_an_object_that_is_here(cluster):
    assert (200, None) == said(cluster(GONE, GONE, stored(b'bytes')))


def test_an_erasure_coded_object_with_a_fragment_is_not_absent(cluster):
    assert (404, False) == said(cluster(GONE, GONE, stored(b'fragment')), policy=1)
