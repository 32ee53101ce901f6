"""round_robin: one after another.

    cost = last_turn

    last_turn   the turn at which this host last put the backend first, 0: never

Source: HAProxy `balance roundrobin`, Pound, lighttpd `round-robin`, with equal weights. These go
through a list and begin again; to take whom one has not taken for longest is the same, and goes on
being so when backends come and go. Each host has its own turns, as each balancer has.
"""
from swift_lb.policy.costed import Costed


class RoundRobin(Costed):
    """Order by the last turn."""

    choices, counts = None, True

    def cost(self, backend, snapshot, now):
        """Return the last turn."""
        return snapshot.of(backend).last_turn

    def reason(self, backend, snapshot, now):
        """Say it."""
        turn = snapshot.of(backend).last_turn
        return f'last put first at turn {turn}' if turn else 'never put first'
