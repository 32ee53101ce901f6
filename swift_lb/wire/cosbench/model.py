"""COSBench's workload as frozen dataclasses, with all inherited and default values filled in.

Times are seconds and sizes bytes. `afr`, the acceptable failures, is per million, as in the XML.
"""
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Access:
    """An <auth> or <storage> element: its type, config string, and the settings in that string."""

    type: str = 'none'
    config: str = ''
    # key -> value, typed, defaults filled in; times in seconds
    settings: Mapping = field(default_factory=dict)


@dataclass(frozen=True)
class Selector:
    """A rule by which numbers are chosen: of containers, of objects, or sizes in bytes."""

    kind: str                 # constant, uniform, range, sequential, histogram
    low: int = 0
    high: int = 0             # inclusive; of a histogram, the greatest
    buckets: tuple = ()       # of a histogram: (low, high, weight), sorted by low
    step: int = 1             # from one number to the next: u(1,3)KB is 1000, 2000 or 3000


@dataclass(frozen=True)
class Target:
    """The containers and objects that an operation selects, and the content that it writes."""

    containers: Selector | None = None
    cprefix: str = 'mycontainers'
    csuffix: str = ''
    objects: Selector | None = None
    oprefix: str = 'myobjects'
    osuffix: str = ''
    sizes: Selector | None = None      # bytes
    content: str = 'random'            # or zero
    chunked: bool = False
    hash_check: bool = False
    create_container: bool = False     # prepare
    delete_container: bool = False     # cleanup
    files: str | None = None           # filewrite: a directory
    fileselection: str | None = None   # filewrite: constant, uniform, range, sequential


@dataclass(frozen=True)
class Operation:
    """One operation of a work: its type, and its percentage of the work's requests."""

    type: str                 # read write delete list filewrite; init prepare cleanup dispose
    ratio: int = 100
    division: str = 'none'
    config: str = ''          # with what it inherits in front
    id: str = ''              # op1, op2, ... through the stage
    name: str = ''            # shown; read, or 1-read where a work has two of a type
    target: Target = Target()

    @property
    def sample_type(self):
        """Return the type for COSBench's counts: read, write, delete, list or filewrite."""
        return {'prepare': 'write', 'cleanup': 'delete',
                'init': 'write', 'dispose': 'delete'}.get(self.type, self.type)


@dataclass(frozen=True)
class Work:
    """A <work>: a number of workers that do the same operations, in parallel."""

    name: str
    type: str = 'normal'      # init prepare cleanup dispose
    workers: int = 1
    interval: int = 5         # seconds between snapshots
    division: str = 'none'    # container, object
    runtime: int = 0          # seconds; 0: no limit, as for the two below
    rampup: int = 0           # seconds before the runtime
    rampdown: int = 0         # seconds after it
    total_ops: int = 0
    total_bytes: int = 0
    afr: int = 200000         # acceptable failures per million
    driver: str = ''
    rate: float | None = None   # not in COSBench: operations started per second (open loop)
    histogram: bool = True    # false: no percentiles
    config: str = ''
    auth: Access = Access()
    storage: Access = Access()
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True)
class Workstage:
    """Works that run in parallel; the workstages of a workload run one after another."""

    name: str
    closuredelay: int = 0     # seconds slept after it
    trigger: str = ''
    config: str = ''
    works: tuple[Work, ...] = ()
    id: str = ''              # s1-init, s2-prepare, ...


@dataclass(frozen=True)
class Workload:
    """A workload file, as read and checked: its name, storage, auth and workstages."""

    name: str
    description: str = ''
    trigger: str = ''
    config: str = ''
    auth: Access = Access()       # as written at the top, for the normalised XML
    storage: Access = Access()
    stages: tuple[Workstage, ...] = ()
