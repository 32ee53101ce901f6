"""fair: the least busy backend; of equals the one whose turn was longest ago.

    cost = (in_flight, last_turn)       the first counts, of equals the second

    in_flight   requests of this host there and not yet answered
    last_turn   the turn at which this host last put the backend first, 0: never

Source: nginx-upstream-fair (Nosek), whose score has the requests now processed in its upper bits,
and in its lower ones how many went elsewhere since its last, inverted; the idle come first, in
turn. What differs: it divides the score by a weight that is used up request by request, and passes
over who has just failed; here all weights are equal, and failures are not the policy's.
"""
from swift_lb.policy.costed import Costed


class Fair(Costed):
    """Order by in_flight, then by turn."""

    choices, counts = None, True

    def cost(self, backend, snapshot, now):
        """Return (in_flight, last turn)."""
        load = snapshot.of(backend)
        return load.in_flight, load.last_turn

    def reason(self, backend, snapshot, now):
        """Say both."""
        load = snapshot.of(backend)
        turn = f'last put first at turn {load.last_turn}' if load.last_turn else 'never put first'
        return f'{load.in_flight} in flight, {turn}'
