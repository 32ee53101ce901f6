"""The limit: a policy that sees every device's queue and speed as they are at this moment.

    cost = wait + service + rest
    wait = 0                          where a slot is free
           (left + queue) / slots     elsewhere
    rest = chunks x max(1, (there + 1) / slots)

    left      what is left of a service that one meets at some moment of it, in the mean:
              mean x (1 + variation^2) / 2, the residual life of renewal theory
    queue     the mean seconds of service of all that waits
    service   mean seconds of a read's first chunk, as slow as the device is now
    chunks    mean seconds of the others, which are served in turn with all that is there

A device that hangs or refuses comes last; ties are broken at random. Of an erasure-coded object the
k of least cost are asked. It knows queues and speeds, and not how the dice will fall.
"""
import math

from swift_lb.load.tail_time import CHUNK_BYTES


class Oracle:
    """Orders devices by the time at which they would answer."""

    def __init__(self, cluster):
        self._cluster = cluster
        parts = cluster.scenario.fragments[0] if cluster.scenario.fragments else 1
        sizes = [(size // parts, share) for size, share in cluster.scenario.sizes]
        self._chunk = sum(share * min(CHUNK_BYTES, size) for size, share in sizes)
        self._others = sum(share * max(0, size - CHUNK_BYTES) for size, share in sizes)

    def order(self, candidates, _snapshot, _now, rng):
        """Return the candidates, the one that would answer first first."""
        costs = {node: (self.cost(self._cluster.devices[node]), rng.random())
                 for node in candidates}
        return sorted(candidates, key=costs.__getitem__)

    def cost(self, device):
        """Return the seconds until `device` would have answered one more read."""
        if device.condition.hang or device.condition.fail:
            return math.inf
        ahead = len(device.serving) + len(device.waiting)
        turns = max(1.0, (ahead + 1) / device.kind.slots)
        sent = (self._chunk + self._others * turns) / device.kind.rate * device.condition.slow
        return wait(device) + seek(device) + sent


def wait(device):
    """Return the seconds until a slot of `device` is free for one more read."""
    kind = device.kind
    if len(device.serving) < kind.slots:
        return 0.0
    left = seek(device) * (1 + kind.variation ** 2) / 2
    return (left + sum(expected(device, attempt) for attempt in device.waiting)) / kind.slots


def expected(device, attempt):
    """Return the mean seconds of the next chunk of `attempt`."""
    chunk = min(CHUNK_BYTES, attempt.left) / device.kind.rate * device.condition.slow
    return chunk + (seek(device) if attempt.left == attempt.size else 0.0)


def seek(device):
    """Return the mean seconds of a seek under the current faults."""
    condition = device.condition
    fraction, pause = condition.pause
    return (device.kind.mean + condition.later + fraction * pause) * condition.slow
