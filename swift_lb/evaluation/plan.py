"""What an evaluation is to measure: one frozen description, and the facts of where it runs."""
import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import NamedTuple

ALONE = 'node:'      # of a step's policy: this node alone, e.g. node:2
FULL, MINIMAL = 16, 1  # workers that keep a node alone busy (one of few slots), and that do not
BEFORE, MEASURED = 2, 8   # how often each worker gets its turn in the ramp-up and after it


@dataclass(frozen=True)
class LabPlace:
    """A lab of our own, whose proxies are restarted with one policy after the other."""

    profile: str
    nodes: int = 3
    devices: int = 1
    proxies: int = 1
    replicas: int = 3
    capacity: tuple = ()    # requests/s of each node by its profile; None: no limit
    slots: tuple = ()       # requests each node serves at once; None: no limit


@dataclass(frozen=True)
class ClusterPlace:
    """A cluster of somebody's: measured as it is, under a label of the user's."""

    label: str
    auth: str | None = None             # URL of tempauth or swauth
    user: str | None = None
    endpoints: tuple[str, ...] = ()     # storage URLs, in place of what auth says
    capacity: tuple = ()                # nobody knows
    replicas: int = 3                   # of every object, as its user says


@dataclass(frozen=True)
class Plan:
    """The whole of what is to be measured; another plan is another evaluation.

    `proxy_workers` are processes of each proxy: the first is that of all workers and sizes, the
    others are looked at for herding alone. Times are seconds.
    """

    place: LabPlace | ClusterPlace
    policies: tuple[str, ...]
    workers: tuple[int, ...]
    sizes: tuple[str, ...]              # as COSBench writes them: 4KB
    proxy_workers: tuple[int, ...]
    repeats: int
    seconds: int                        # measured in each run, at least
    ramp_up: int                        # before that, at least
    read: int                           # per cent; the rest are writes
    objects: int                        # that are read

    @property
    def on_lab(self):
        """Whether it runs on a lab of its own."""
        return isinstance(self.place, LabPlace)

    @property
    def herding_workers(self):
        """The number of workers at which other numbers of proxy workers are looked at."""
        return sorted(self.workers)[len(self.workers) // 2]

    def document(self):
        """Return it as plain data for JSON."""
        place = asdict(self.place) | {'on': 'lab' if self.on_lab else 'cluster'}
        return json.loads(json.dumps(asdict(self) | {'place': place}))

    def fingerprint(self):
        """Return a short text that is another one for every other plan."""
        text = json.dumps(self.document(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def plan_of(document):
    """Return the Plan that Plan.document() made the `document` of."""
    place = _tuples(document['place'])
    kind = {'lab': LabPlace, 'cluster': ClusterPlace}[place.pop('on')]
    return Plan(**_tuples(document) | {'place': kind(**place)})


def _tuples(mapping):
    return {key: tuple(value) if isinstance(value, list) else value
            for key, value in mapping.items()}


class Step(NamedTuple):
    """One run to be made: which cell of the tables, and which repeat of it."""

    policy: str          # a label of targets.py, ALONE + a node's number, or a cluster's label
    proxy_workers: int
    size: str
    workers: int
    repeat: int

    @property
    def node(self):
        """The number of the node that is measured alone, or None."""
        return int(self.policy.removeprefix(ALONE)) if self.policy.startswith(ALONE) else None


def rate_of(plan, step):
    """Return how many operations per second the place can answer in `step`; inf: nobody knows.

    A read is one request to one node, a write one to every replica.
    """
    capacity = [limit or math.inf for limit in plan.place.capacity or (None,)]
    if step.node:
        return capacity[step.node - 1]
    read = plan.read / 100
    return sum(capacity) / (read + (1 - read) * plan.place.replicas)


def lengths_of(plan, step):
    """Return (ramp-up, runtime) of `step`, whole seconds.

    With many workers a response takes many seconds. The queues must have filled before the
    measurement begins, and an operation that begins or ends outside the window is in no percentile,
    so the window must be many responses long.
    """
    turn = step.workers / rate_of(plan, step)
    return (max(plan.ramp_up, math.ceil(BEFORE * turn)),
            max(plan.seconds, math.ceil(MEASURED * turn)))
