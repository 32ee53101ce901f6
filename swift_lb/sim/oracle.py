"""The limit: a policy that sees every device's queue and speed as they are at this moment.

    cost = wait + service + rest
    wait = 0                           if a slot is free
           (residual + queue) / slots  otherwise
    rest = chunks x max(1, (ahead + 1) / slots)

    slots     chunks that the device serves at once
    residual  mean seconds until a seek that is in progress ends: mean x (1 + variation^2) / 2, the
              residual life of renewal theory, of the device's mean seek and its variation
    queue     mean seconds to serve the next chunk of all requests that wait
    service   mean seconds of a read's first chunk, at the device's present speed
    chunks    mean seconds of the read's other chunks, if they need not wait
    ahead     requests that the device serves or that wait, with which these chunks take turns

A device that hangs or refuses comes last; ties are broken at random. Of an erasure-coded object the
k devices of least cost are asked. The oracle knows queues and speeds, but no future service time.
"""
import math

from swift_lb.load.tail_time import CHUNK_BYTES


class Oracle:
    """Orders devices by the time at which each is expected to answer."""

    def __init__(self, cluster):
        self._cluster = cluster
        parts = cluster.scenario.fragments[0] if cluster.scenario.fragments else 1
        sizes = [(size // parts, share) for size, share in cluster.scenario.sizes]
        self._chunk = sum(share * min(CHUNK_BYTES, size) for size, share in sizes)
        self._others = sum(share * max(0, size - CHUNK_BYTES) for size, share in sizes)

    def order(self, candidates, _snapshot, _now, rng):
        """Return the candidates sorted by the expected time of their answer, the soonest first."""
        costs = {node: (self.cost(self._cluster.devices[node]), rng.random())
                 for node in candidates}
        return sorted(candidates, key=costs.__getitem__)

    def cost(self, device):
        """Return the expected seconds of one more read of `device`; inf if it hangs or refuses."""
        if device.condition.hang or device.condition.fail:
            return math.inf
        ahead = len(device.serving) + len(device.waiting)
        turns = max(1.0, (ahead + 1) / device.kind.slots)
        sent = (self._chunk + self._others * turns) / device.kind.rate * device.condition.slow
        return wait(device) + seek(device) + sent


def wait(device):
    """Return the expected seconds until a slot of `device` is free for one more read."""
    kind = device.kind
    if len(device.serving) < kind.slots:
        return 0.0
    left = seek(device) * (1 + kind.variation ** 2) / 2
    return (left + sum(expected(device, attempt) for attempt in device.waiting)) / kind.slots


def expected(device, attempt):
    """Return the mean seconds that `device` takes for the next chunk of `attempt`."""
    chunk = min(CHUNK_BYTES, attempt.left) / device.kind.rate * device.condition.slow
    return chunk + (seek(device) if attempt.left == attempt.size else 0.0)


def seek(device):
    """Return the mean seconds of a seek of `device` under its current faults."""
    condition = device.condition
    fraction, pause = condition.pause
    return (device.kind.mean + condition.later + fraction * pause) * condition.slow
