"""The plan of an evaluation: a frozen description of what to measure, and where."""
import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import NamedTuple

ALONE = 'node:'      # prefix of a step's policy that measures one node alone: node:2
FULL, MINIMAL = 16, 1  # workers that saturate a single node (of few slots); and minimal load
BEFORE, MEASURED = 2, 8   # requests of each worker in the ramp-up, and after it, at least


@dataclass(frozen=True)
class LabPlace:
    """A lab, a Swift that the evaluation starts; its proxies are restarted with each policy."""

    profile: str
    nodes: int = 3
    devices: int = 1
    proxies: int = 1
    replicas: int = 3
    capacity: tuple = ()    # requests/s of each node according to its profile; None: no limit
    slots: tuple = ()       # requests that each node serves at once; None: no limit


@dataclass(frozen=True)
class ClusterPlace:
    """An existing cluster, measured unchanged, under a label that the user chooses."""

    label: str
    auth: str | None = None             # URL of tempauth or swauth
    user: str | None = None
    endpoints: tuple[str, ...] = ()     # storage URLs that replace those from auth
    capacity: tuple = ()                # unknown
    replicas: int = 3                   # of every object, as configured by the user


@dataclass(frozen=True)
class Plan:
    """Everything that an evaluation measures; runs of different plans are never combined.

    `proxy_workers` are numbers of worker processes of a proxy. With the first of them all `workers`
    and `sizes` are measured; with each further number only the first size at `herding_workers`,
    to show herding: that many processes choose the same node at the same time. Times are seconds.
    """

    place: LabPlace | ClusterPlace
    policies: tuple[str, ...]
    workers: tuple[int, ...]
    sizes: tuple[str, ...]              # in COSBench's notation: 4KB
    proxy_workers: tuple[int, ...]
    repeats: int
    seconds: int                        # of the measured window of a run, at least
    ramp_up: int                        # seconds before the measured window, at least
    read: int                           # per cent of reads; the rest are writes
    objects: int                        # number of objects that are read

    @property
    def on_lab(self):
        """Return whether the evaluation starts a lab, and does not use an existing cluster."""
        return isinstance(self.place, LabPlace)

    @property
    def herding_workers(self):
        """Return the median of `workers`, at which all numbers of proxy processes are compared."""
        return sorted(self.workers)[len(self.workers) // 2]

    def document(self):
        """Return the plan as plain data for JSON."""
        place = asdict(self.place) | {'on': 'lab' if self.on_lab else 'cluster'}
        return json.loads(json.dumps(asdict(self) | {'place': place}))

    def fingerprint(self):
        """Return a hash of the plan, 16 hex digits, which tells its results from another plan's."""
        text = json.dumps(self.document(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def plan_of(document):
    """Return the Plan that `document`, which Plan.document() has made, describes."""
    place = _tuples(document['place'])
    kind = {'lab': LabPlace, 'cluster': ClusterPlace}[place.pop('on')]
    return Plan(**_tuples(document) | {'place': kind(**place)})


def _tuples(mapping):
    return {key: tuple(value) if isinstance(value, list) else value
            for key, value in mapping.items()}


class EvaluationStep(NamedTuple):
    """One run of a plan: policy, proxy processes, object size, workers, number of the repeat."""

    policy: str          # a label of targets.py, ALONE and a node's number, or a cluster's label
    proxy_workers: int
    size: str
    workers: int
    repeat: int

    @property
    def node(self):
        """Return the number of the node that is measured alone; None if all nodes are measured."""
        return int(self.policy.removeprefix(ALONE)) if self.policy.startswith(ALONE) else None


def rate_of(plan, step):
    """Return the operations/s that the nodes can serve in `step`; inf if a capacity is unknown.

    A read is one request to one node, a write one request to every replica.
    """
    capacity = [limit or math.inf for limit in plan.place.capacity or (None,)]
    if step.node:
        return capacity[step.node - 1]
    read = plan.read / 100
    return sum(capacity) / (read + (1 - read) * plan.place.replicas)


def lengths_of(plan, step):
    """Return (ramp-up, runtime) of the run of `step` in whole seconds.

    With many workers a response takes many seconds. The queues must be full before the measurement
    begins, and no percentile includes an operation that crosses the border of the window; so the
    window must be many response times long.
    """
    response = step.workers / rate_of(plan, step)
    return (max(plan.ramp_up, math.ceil(BEFORE * response)),
            max(plan.seconds, math.ceil(MEASURED * response)))
