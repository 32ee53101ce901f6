"""Two labs of three nodes, one disk of which becomes bad while it is read.

The first has three disks a node, which serve one read at a time in 20 ms; the second one disk a
node, which serves four at a time in 40 ms.

Objects are read in turn, in an open loop, so that the fair share of a disk is exact: its fraction
of the replicas. All disks of the first lab together answer 450 requests/s, those of the second 300;
READS and WIDE_READS a second are far fewer, and less than a third of what two cores answer.
"""
from contextlib import contextmanager
from typing import NamedTuple

from bench.outcomes.share import Shares

from swift_lb.errors import EvaluationError
from swift_lb.evaluation import targets, workloads
from swift_lb.evaluation.measure import do, measure
from swift_lb.evaluation.node_share import Poll
from swift_lb.evaluation.run_result import OpFigures
from swift_lb.evaluation.subject import PATIENT, access_of
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

NODES, DEVICES, MEAN = 3, 3, 0.02      # seconds a read
SLOTS, WIDE_MEAN = 4, 0.04             # of the second lab: reads at once, seconds a read
BAD = (1, 'sd0')
SIBLINGS = tuple((1, f'sd{number}') for number in range(1, DEVICES))
NODE_1 = (BAD, *SIBLINGS)
OBJECTS, CLIENTS, READS = 120, 96, 120
PROXY_WORKERS = 2
LOOK = 0.2              # seconds between two looks at the nodes' counts
REPLICATED, FRAGMENTS = '4KB', '8KB'   # of 8 KB, a fragment of two has 4
FRAGMENT_READS = 50     # of two requests each
WIDE_READS = 100
ANSWERED = 0.9          # of the reads that are due; with fewer, it is not the disks that are slow


class Event(NamedTuple):
    """A handicap, `rule`, that the disk BAD gets `second` seconds after the reads began."""

    second: int
    rule: dict


class DisksResult(NamedTuple):
    """The figures and Shares of a run of reads; its seconds count from the first read."""

    figures: OpFigures  # of what began and ended after the ramp-up
    shares: Shares
    event: float        # when the rules were in force


class Disks:
    """A lab with its objects; its disks serve `slots` reads at once, in `mean` seconds each."""

    def __init__(self, lab, slots=1, mean=MEAN):
        self._lab, self._access, self._slots, self._mean = lab, access_of(lab), slots, mean
        fragments = self._access._replace(
            storage_config=f'{self._access.storage_config};policy=ec21')
        kinds = [(self._access, REPLICATED), *[(fragments, FRAGMENTS)] * lab.spec.ec]
        for access, size in kinds:
            do(workloads.prepare(access, size, OBJECTS), access.endpoints, 1)
        self._portions = portions(lab)

    def fresh(self, seed, slow=None):
        """Restart the proxies, and set the disks' mean service times: `slow`, {disk: seconds}.

        A disk that is not in `slow` has the usual mean. The same seed draws the same times.
        """
        app, options = targets.settings('adaptive', ())
        self._lab.restart_proxies(options | PATIENT | {'DEFAULT:workers': f'{PROXY_WORKERS}'}, app)
        self._lab.handicap(clear=True)
        for node, device in self._portions:
            mean = (slow or {}).get((node, device), self._mean)
            self._lab.handicap(node=node, device=device, seed=seed, slots=self._slots, mean=mean)

    def read(self, ramp_up, seconds, size=REPLICATED, rate=READS, event=None):
        """Return the DisksResult of `rate` reads a second, during which `event`, if any, happens.

        After `ramp_up` seconds, `seconds` are measured. EvaluationError if too few are answered."""
        text = reads(self._access, size, rate, ramp_up, seconds)
        with Poll(self._lab.served, LOOK) as poll:
            script = Script(poll, event, lambda rule: self._lab.handicap(
                node=BAD[0], device=BAD[1], **rule))
            figures = measure(text, script, self._access.endpoints, processes=1)['read']
        if figures.throughput < ANSWERED * rate:
            raise EvaluationError(
                f'{figures.throughput:.0f} of {rate} reads a second were answered: '
                f'{figures.reasons or "the machine has something else to do"}')
        whole = [(second - script.began, counts) for second, counts in poll.seen
                 if counts.keys() == self._portions.keys()]
        return DisksResult(figures, Shares(whole, self._portions), script.happened)


class Script:
    """Calls `change`(rule) at the time of an Event; a Watch, which follows a run of the load."""

    def __init__(self, poll, event, change):
        self._poll, self._event, self._change = poll, event, change
        self.began = self.happened = 0.0

    def stage(self, stage):
        """Take a StageResult whose state has changed."""
        if stage.state == 'running':
            self.began = self._poll.now

    def tick(self, stage):
        """Take a StageResult whose timeline has grown by a second."""
        if self._event and len(stage.timeline) == self._event.second:
            self._change(self._event.rule)
            self.happened = self._poll.now - self.began


@contextmanager
def disks(name):
    """Run the first lab, three disks a node, under this name; provide its Disks."""
    with Lab.up(LabSpec(name=name, nodes=NODES, devices=DEVICES, workers=PROXY_WORKERS, ec=True,
                        log_level='WARNING')) as lab:
        yield Disks(lab)


@contextmanager
def wide(name):
    """Run the second lab, one disk a node, under this name; provide its Disks."""
    with Lab.up(LabSpec(name=name, nodes=NODES, devices=1, workers=PROXY_WORKERS,
                        log_level='WARNING')) as lab:
        yield Disks(lab, SLOTS, WIDE_MEAN)


def portions(lab):
    """Return {(node, device): fraction of all stored .data files that are on this disk}."""
    results = {(node, device): len([*(lab.directory / 'data' / f'object-{node}' / device
                                      / 'objects').rglob('*.data')])
             for node in range(1, NODES + 1) for device in lab.spec.device_names}
    return {device: files / sum(results.values()) for device, files in results.items()}


def reads(access, size, rate, ramp_up, seconds):
    """Return the workload's XML: `rate` reads a second, of one object after the other."""
    where = f'containers=c(1);cprefix={workloads.container_name(size).removesuffix("1")}'
    return (f'<workload name="outcomes">{access.xml()}<workflow><workstage name="main">'
            f'<work name="main" workers="{CLIENTS}" rate="{rate}" interval="1" '
            f'rampup="{ramp_up}" runtime="{seconds}" afr="1000000">'
            f'<operation type="read" ratio="100" config="{where};objects=s(1,{OBJECTS})"/>'
            '</work></workstage></workflow></workload>')
