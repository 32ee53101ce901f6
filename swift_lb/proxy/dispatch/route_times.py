"""How long reads take by the routes that were chosen for them, measured when they end."""
from swift_lb.model import LOCAL


class RouteTimes:
    """Measures the reads of one worker, and tells its ClusterRouter, Observer and counts."""

    def __init__(self, router, observer, counts, clock):
        """Take a ClusterRouter, an Observer, DispatchCounts, and `clock()` of monotonic seconds."""
        self._router, self._observer, self._counts = router, observer, counts
        self._clock = clock

    def watch(self, chosen, begun, answer):
        """Measure the read by a ChosenRoute when its Answer ends; it began at the instant `begun`.
        """
        measured, end = self.measured(chosen, begun), answer.on_end

        def on_end(error):
            self._router.ended(chosen.route)
            if answer.complete:
                measured()
            end(error)
        answer.on_end = on_end

    def measured(self, chosen, begun):
        """Return a function to call when the last byte of a read by a ChosenRoute has come.

        The read began at the instant `begun`.
        """
        def at_end():
            seconds = self._clock() - begun
            self._router.measured(chosen, seconds, begun + seconds)
            if chosen.cost is None or chosen.route.kind == LOCAL:
                return
            self._observer.note_measured(chosen.route, chosen.cost.seconds, seconds)
            if chosen.here is not None:
                self._counts.count_saved(chosen.route.cluster, chosen.here[1] - seconds)
        return at_end
