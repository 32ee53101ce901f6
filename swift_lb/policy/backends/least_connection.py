"""least_connection: the backend with the fewest requests of this host.

    cost = in_flight

    in_flight   requests of this host there and not yet answered

Source: LVS `lc`, ip_vs_lc.c. Its overhead is 256 x active connections + inactive ones, those about
to be closed; a request has no such end. Weight 0 is quiesced there too, and other weights are not
looked at; ties are the first's in its list, here chance decides.
"""
from swift_lb.policy.backends.weighed import Weighed


class LeastConnection(Weighed):
    """Order by in_flight."""

    def cost_of(self, load, weight):
        """Return in_flight."""
        return load.in_flight

    def words(self, load, weight):
        """Say it."""
        return f'{load.in_flight} in flight'
