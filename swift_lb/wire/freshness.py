"""Which signed reports are new: nothing old, and nothing twice, however it came here. Pure.

A report is taken if its clock and ours differ by WINDOW at most and it is later, by (epoch,
sequence), than the last that was taken of the same node. A node of which nothing was taken for
FORGET may begin again at any epoch, as its clock may have been set back: what was recorded before
is outside the window by then. Who has just started knows of nothing, so that for WINDOW seconds a
recorded report of a node that has died is taken for the node.
"""
WINDOW = 60.0           # seconds
FORGET = 2 * WINDOW + 1

SKEWED, OLD = 'skewed', 'replayed'


class Freshness:
    """What was last taken of each node."""

    def __init__(self):
        self._last = {}     # node -> (epoch, sequence, instant)

    def refuses(self, report, wall, now):
        """Return None and remember `report`, or why it is not to be taken: SKEWED or OLD.

        `wall` is this host's clock in seconds since 1970, `now` its monotonic one.
        """
        if abs(report.sent_at - wall) > WINDOW:
            return SKEWED
        epoch, sequence, at = self._last.get(report.node, (-1, -1, now))
        if (report.epoch, report.sequence) <= (epoch, sequence) and now - at < FORGET:
            return OLD
        self._last[report.node] = report.epoch, report.sequence, now
        return None

    def forget(self, node):
        """Forget a node of which nothing was taken for FORGET seconds."""
        self._last.pop(node, None)
