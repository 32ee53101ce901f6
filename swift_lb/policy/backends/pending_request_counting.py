"""pending_request_counting: the backend with the fewest active requests.

    cost = (in_flight, -lbstatus)       the first counts, of equals the second

    in_flight   requests of this host there and not yet answered: Apache's `busy`
    lbstatus    what is owed to the backend by choices and weight (request_counting.py)

Source: Apache, mod_lbmethod_bybusyness.c. The weight counts among equally busy ones only.
"""
from swift_lb.policy.backends.request_counting import RequestCounting


class PendingRequestCounting(RequestCounting):
    """Order by in_flight, then by lbstatus."""

    def urgency(self, load, status):
        """Return (in_flight, minus lbstatus)."""
        return load.in_flight, -status

    def words(self, load, weight):
        """Say what is in flight and what the lbstatus is made of."""
        return f'{load.in_flight} in flight, {super().words(load, weight)}'
