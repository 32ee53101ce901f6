"""How long reads take by the routes that were chosen for them, measured when they end."""
from functools import partial

from swift_lb.model import LOCAL
from swift_lb.proxy.guard import fails_open


class RouteTimes:
    """Measures the reads of one worker, and tells its ClusterRouter, Observer and counts."""

    def __init__(self, router, observer, counts, clock, fall_back):
        """Take a ClusterRouter, an Observer, DispatchCounts, and `clock()` of monotonic seconds.

        `fall_back(component)` reports a component that has failed.
        """
        self._router, self._observer, self._counts = router, observer, counts
        self._clock, self.fall_back = clock, fall_back

    def watch(self, chosen, begun, answer):
        """Measure the read by a ChosenRoute when its Answer ends; it began at the instant `begun`.
        """
        def on_end(error, end=answer.on_end):
            try:
                self._ended(chosen, begun, answer)
            finally:
                end(error)
        answer.on_end = on_end

    def measured(self, chosen, begun):
        """Return a function to call when the last byte of a read by a ChosenRoute has come.

        The read began at the instant `begun`.
        """
        return partial(self._measure, chosen, begun)

    @fails_open('clusters')
    def _ended(self, chosen, begun, answer):
        self._router.ended(chosen)
        if answer.complete:
            self._measure(chosen, begun)

    @fails_open('clusters')
    def _measure(self, chosen, begun):
        seconds = self._clock() - begun
        self._router.measured(chosen, seconds, begun + seconds)
        if chosen.cost is None or chosen.route.kind == LOCAL:
            return
        seconds += chosen.cost.client       # which is in all predictions
        self._observer.note_measured(chosen.route, chosen.cost.seconds, seconds)
        if chosen.here is not None:
            self._counts.count_saved(chosen.route.cluster, chosen.here[1] - seconds)
