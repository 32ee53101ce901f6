"""The results of a run: the controller fills them; result files, report and display read them.

Times are seconds, instants are seconds of the monotonic clock, sizes are bytes.
"""
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from hdrh.histogram import HdrHistogram

from swift_lb.wire.cosbench.model import Operation, Work, Workload, Workstage


class Progress(NamedTuple):
    """The sums of one operation since the start of its work, ramp-up and ramp-down included."""

    successes: int = 0
    failures: int = 0
    bytes: int = 0
    response_time: float = 0.0   # the sum over the successes
    transfer_time: float = 0.0   # the sum over the successes: the time of the body's transfer


@dataclass
class OpResult:
    """The counts of one operation of one work over all workers, in the measured window."""

    operation: Operation
    successes: int = 0
    failures: int = 0
    bytes: int = 0
    response_time: float = 0.0
    transfer_time: float = 0.0
    throughput: float = 0.0      # operations/s as COSBench defines it: each worker over its window
    bandwidth: float = 0.0       # bytes/s likewise
    histogram: HdrHistogram | None = None   # response times of the successes, microseconds
    buckets: Counter = field(default_factory=Counter)  # the same, as 10 ms bucket -> successes
    reasons: Counter = field(default_factory=Counter)  # failures by reason: "HTTP 503" -> count
    unfinished: int = 0          # started in the window and ended after it: in no other figure
    resent: int = 0              # requests sent twice, because a kept connection broke


@dataclass
class WorkResult:
    """The results of one work of a stage."""

    work: Work
    index: int                   # 1, 2, ... in its stage
    ops: list[OpResult] = field(default_factory=list)
    window: float = 0.0          # measured seconds: the runtime, or until the work was done


@dataclass
class Tick:
    """One line of a stage's timeline: the progress since the line before it."""

    at: datetime
    seconds: float               # since the line before
    ops: list[Progress]          # differences, one for each operation of the stage, in order


class Entered(NamedTuple):
    """A state that a run or a stage has entered, and the time at which it entered it."""

    state: str
    at: datetime                 # for display
    instant: float               # until the next state's instant


@dataclass
class StageResult:
    """The result of one stage: its states with their times, its timeline, its works."""

    stage: Workstage
    states: list[Entered] = field(default_factory=list)   # waiting, ...
    timeline: list[Tick] = field(default_factory=list)
    works: list[WorkResult] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)    # the reasons of a failure or termination

    @property
    def state(self):
        """Return the state that was entered last: completed, failed, terminated, aborted, ..."""
        return self.states[-1].state if self.states else 'waiting'

    @property
    def window(self):
        """Return the length in seconds of the longest measured window among its works."""
        return max((work.window for work in self.works), default=0.0)


@dataclass
class RunResult:
    """The result of a workload's run, however it ended."""

    workload: Workload
    id: str = ''                 # w1, w2, ... given by the archive
    submitted_at: datetime | None = None
    states: list[Entered] = field(default_factory=list)   # queuing, processing, ...
    stages: list[StageResult] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    processes: int = 0           # drivers
    command: str = ''
    versions: dict = field(default_factory=dict)       # swift-lb, python, ... -> version

    @property
    def state(self):
        """Return the state entered last: queuing, processing, finished, failed, terminated."""
        return self.states[-1].state if self.states else 'queuing'
