"""What a run came to: nouns only, filled by the controller, read by files, report and display.

Times are seconds, instants are seconds of the monotonic clock, sizes are bytes.
"""
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from hdrh.histogram import HdrHistogram

from swift_lb.wire.cosbench.model import Operation, Work, Workload, Workstage


class Progress(NamedTuple):
    """Sums since the start of a work, of one operation, ramp-up and ramp-down included."""

    successes: int = 0
    failures: int = 0
    bytes: int = 0
    response_time: float = 0.0   # of the successes, summed
    transfer_time: float = 0.0   # likewise: the part of it in which the body went over


@dataclass
class OpResult:
    """One operation of one work, of all workers: what was counted inside the measured window."""

    operation: Operation
    successes: int = 0
    failures: int = 0
    bytes: int = 0
    response_time: float = 0.0
    transfer_time: float = 0.0
    throughput: float = 0.0      # operations/s as COSBench has it: each worker over its own window
    bandwidth: float = 0.0       # bytes/s likewise
    histogram: HdrHistogram | None = None   # response times of the successes, microseconds
    buckets: Counter = field(default_factory=Counter)  # the same: 10 ms bucket -> successes
    reasons: Counter = field(default_factory=Counter)  # why failures failed: "HTTP 503" -> times
    unfinished: int = 0          # begun in the window and not ended in it: in no other figure
    resent: int = 0              # requests sent once more: a kept connection broke under them


@dataclass
class WorkResult:
    """One work of a stage."""

    work: Work
    index: int                   # 1, 2, ... in its stage
    ops: list[OpResult] = field(default_factory=list)
    window: float = 0.0          # seconds measured: the runtime, or what it took


@dataclass
class Tick:
    """One line of a stage's timeline: what happened since the line before it."""

    at: datetime
    seconds: float               # since the line before
    ops: list[Progress]          # differences, one for each operation of the stage, in order


class Entered(NamedTuple):
    """A state, and when it was entered."""

    state: str
    at: datetime                 # for people to read
    instant: float               # how long it lasted is told by the next one's


@dataclass
class StageResult:
    """One stage: its states with their times, its timeline, its works."""

    stage: Workstage
    states: list[Entered] = field(default_factory=list)   # waiting, ...
    timeline: list[Tick] = field(default_factory=list)
    works: list[WorkResult] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)    # why it failed or was terminated

    @property
    def state(self):
        """Return the last state: completed, failed, terminated, aborted ..."""
        return self.states[-1].state if self.states else 'waiting'

    @property
    def window(self):
        """Return the seconds measured of the work of which most was."""
        return max((work.window for work in self.works), default=0.0)


@dataclass
class RunResult:
    """One workload, run to whatever end."""

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
        """Return the last state: queuing, processing, finished, failed or terminated."""
        return self.states[-1].state if self.states else 'queuing'
