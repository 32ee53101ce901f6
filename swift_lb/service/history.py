"""The last fifteen minutes of all nodes, for a page to draw."""
from collections import deque

STEP = 5.0          # seconds between two points
SPAN = 900.0        # seconds
POINTS = int(SPAN / STEP)


class History:
    """A point of each node, each STEP."""

    def __init__(self):
        self._points = {}       # name -> deque of (instant, load, dns, keep, take, age)
        self._noted_at = float('-inf')

    def note(self, now, instruction, reports):
        """Note what `instruction` says at the instant `now`, of {name: Heard}, if it is time."""
        if now - self._noted_at < STEP:
            return
        self._noted_at = now
        parts = {part.node: part for part in instruction.nodes}
        for name, heard in reports.items():
            part = parts.get(name)
            point = (part.load, part.dns, part.keep, part.take) if part else (None, 0.0, 1.0, 0.0)
            self._points.setdefault(name, deque(maxlen=POINTS)).append(
                (now, *point, now - heard.at))
        self._drop(now)

    def _drop(self, now):
        for name, points in list(self._points.items()):
            if now - points[-1][0] > SPAN:
                del self._points[name]

    def since(self, instant):
        """Return {name: [point, ...]} of what is later than `instant`."""
        found = {name: [list(point) for point in points if point[0] > instant]
                 for name, points in self._points.items()}
        return {name: points for name, points in found.items() if points}
