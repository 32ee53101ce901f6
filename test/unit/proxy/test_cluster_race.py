"""A read of Swift's proxy that has lost to another cluster ends, and no node is blamed for it."""
from threading import Event

import pytest
from support.proxy_app import request
from support.scripted_cluster import settles
from support.scripted_node import NodeAnswer

from swift_lb.proxy.dispatch.cluster_race import ClusterRace
from swift_lb.proxy.dispatch.held import HeldAnswer

BODY = b'x' * 70_000
AT_ONCE = 1e-6          # seconds


class Elsewhere:
    """Stands in for an Answer of another cluster."""

    closed = False

    def close(self):
        self.closed = True


def lost(made, policy):
    """Let a read of the ScriptedCluster `made` lose a race; return the faults of the race."""
    faults, env, answer = [], request(policy=policy).environ, Elsewhere()
    race = ClusterRace(lambda: HeldAnswer(lambda start: made.app(env, start)), lambda: answer,
                       made.app.logger, faults.append)
    assert (None, answer) == race.run(AT_ONCE, lambda: True)
    assert not answer.closed
    return faults


def clean(made):
    """Return whether no node has a request in flight, an error or a timeout."""
    return [(0, 0, 0)] * len(made.nodes) == [counts[2:] for counts in made.counts()]


@pytest.mark.parametrize('policy', [0, 1])
@pytest.mark.parametrize('status', [200, 404])
def test_a_read_that_has_lost_leaves_no_request_in_flight_and_no_error(cluster, policy, status):
    gate = Event()
    if policy:
        made = cluster(*[None] * 3).hold_fragments(BODY, head_delay=gate, status=status)
    else:
        made = cluster(*[NodeAnswer(status, body=BODY, head_delay=gate)] * 3)
    faults = lost(made, policy)
    assert settles(lambda: sum(counts[4] for counts in made.counts()))
    gate.set()
    assert settles(lambda: clean(made))
    assert not any(made.app.error_limiter.is_limited(node) for node in made.primaries())
    assert not faults
    assert status == made.ask(policy=policy)[0]
