"""The raw facts of a run: the end of every read, and every request to a device."""
from array import array


class Tally:
    """Keeps raw facts, from which measures.py computes figures. Instants and times are seconds."""

    def __init__(self):
        self.ended_at, self.response_times, self.sizes = array('d'), array('d'), array('q')
        self.failed_at = array('d')
        self.asked_at, self.asked_nodes = array('d'), []
        self.stuck_requests = []    # (instant, hung node, most requests of one host on it)

    def asked(self, now, node):
        """Record a request to `node`."""
        self.asked_at.append(now)
        self.asked_nodes.append(node)

    def stuck(self, now, node, requests):
        """Record the greatest number of requests of one host that wait for a hung node."""
        self.stuck_requests.append((now, node, requests))

    def ended(self, now, seconds, size, success):
        """Record the end of a client's read of `size` bytes that took `seconds`."""
        if success:
            self.ended_at.append(now)
            self.response_times.append(seconds)
            self.sizes.append(size)
        else:
            self.failed_at.append(now)
