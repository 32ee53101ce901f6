"""The loads and shares of all nodes in the last 15 minutes, which the agent's web page draws."""
from collections import deque

POINT_INTERVAL = 5.0          # seconds between two points
SPAN = 900.0        # seconds
POINTS = int(SPAN / POINT_INTERVAL)


class NodeHistory:
    """Points of each node, POINT_INTERVAL seconds apart: (instant, load, dns, keep, take, age).

    `dns` is the node's share of new clients, `keep` of its own requests, `take` of delegated
    requests; `age` is the seconds since its last report.
    """

    def __init__(self):
        self._points = {}       # name -> deque of points
        self._noted_at = float('-inf')

    def note(self, now, instruction, reports):
        """Add a point for each node in `reports`, {node: Heard}, at most every POINT_INTERVAL."""
        if now - self._noted_at < POINT_INTERVAL:
            return
        self._noted_at = now
        nodes = {node.node: node for node in instruction.nodes}
        for name, received in reports.items():
            node = nodes.get(name)
            point = (node.load, node.dns, node.keep, node.take) if node else (None, 0.0, 1.0, 0.0)
            self._points.setdefault(name, deque(maxlen=POINTS)).append(
                (now, *point, now - received.at))
        for name, points in list(self._points.items()):
            if now - points[-1][0] > SPAN:
                del self._points[name]

    def since(self, instant):
        """Return {node: [point, ...]} of the points later than `instant`, without nodes of none."""
        later = {name: [list(point) for point in points if point[0] > instant]
                 for name, points in self._points.items()}
        return {name: points for name, points in later.items() if points}
