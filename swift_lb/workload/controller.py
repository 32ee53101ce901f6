"""The controller: runs the workstages of a workload, one after another, on driver processes."""
import math
import random
import threading

from swift_lb.clock import local_time, monotonic
from swift_lb.workload.drivers import Drivers
from swift_lb.workload.figures import stage_fault
from swift_lb.workload.result import Entered, RunResult, StageResult
from swift_lb.workload.stage_run import StageRun

HEARD = 0.2   # seconds between two checks of the event that stops a run
LATE = 15.0   # seconds after its time at which a driver is killed


class Watch:
    """Receives the progress of a run; this base class ignores it."""

    def stage(self, stage):
        """Take a StageResult whose state has changed."""

    def tick(self, stage):
        """Take a StageResult whose timeline has a new Tick."""


def run(workload, *, endpoints=(), processes=None, watch=None, stop=None, seed=None):
    """Run a Workload and return its RunResult, however it ends.

    `endpoints` are URLs of proxies that replace those of the workload, see endpoint.storage_url;
    `processes` is the number of drivers, None for one on each core; `stop` is a threading.Event
    that ends the run: results so far are kept, and the state is `terminated`. The same `seed`
    chooses the same objects and sizes.
    """
    seed = random.SystemRandom().getrandbits(64) if seed is None else seed
    with Drivers(processes) as drivers:
        return _Run(workload, drivers, endpoints, watch or Watch(), stop or threading.Event(),
                    seed).run()


class _Run:
    """One run of a workload."""

    def __init__(self, workload, drivers, endpoints, watch, stop, seed):
        self._drivers, self._endpoints, self._watch = drivers, endpoints, watch
        self._stop, self._seed = stop, seed
        self.result = RunResult(workload, submitted_at=local_time(), processes=drivers.number,
                                stages=[StageResult(stage) for stage in workload.stages])

    def run(self):
        """Run all stages; return the RunResult."""
        result = self.result
        self._enter('queuing')
        self._enter('processing')
        for stage in result.stages:
            self._state(stage, 'waiting')
        for stage in result.stages:
            if self._stop.is_set() or any(s.state == 'terminated' for s in result.stages):
                self._state(stage, 'aborted')
            else:
                self._stage(stage)
        states = {stage.state for stage in result.stages}
        self._enter('terminated' if states & {'terminated', 'aborted'} else
                    'failed' if 'failed' in states else 'finished')
        return result

    def _enter(self, state):
        self.result.states.append(Entered(state, local_time(), monotonic()))
        self._log('INFO', f'workload {self.result.workload.name}: {state}')

    def _state(self, stage, state):
        stage.states.append(Entered(state, local_time(), monotonic()))
        self._log('INFO', f'stage {stage.stage.id}: {state}')
        self._watch.stage(stage)

    def _log(self, level, text):
        self.result.log.append(f'{local_time():%Y-%m-%d %H:%M:%S} [{level}] - {text}')

    def _stage(self, stage):
        ended = self._work(stage)
        for fault in stage.faults:
            self._log('ERROR', f'stage {stage.stage.id}: {fault}')
        if ended != 'terminated' and stage.stage.closuredelay:
            self._state(stage, 'sleeping')
            if self._stop.wait(stage.stage.closuredelay):
                ended = 'terminated'
        self._state(stage, ended)

    def _work(self, stage):
        """Run the works of a stage on the drivers; return the stage's final state."""
        works = stage.stage.works
        going = StageRun(stage, works, self._drivers.number)
        self._state(stage, 'booting')
        self._state(stage, 'submitting')
        self._drivers.submit(works, self._endpoints, f'{self._seed} {stage.stage.id}')
        self._state(stage, 'authing')
        self._hear(going, lambda: going.ready)
        if not (going.over or stage.faults or self._stop.is_set()):
            self._state(stage, 'launching')
            going.start(monotonic() + HEARD)
            self._drivers.send('start', going.started)
            self._state(stage, 'running')
        else:
            self._drivers.send('stop')
        self._hear(going, lambda: going.over)
        self._state(stage, 'closing')
        going.finish()
        if self._stop.is_set() or stage.faults:
            return 'terminated'
        fault = stage_fault(stage)
        if fault:
            stage.faults.append(fault)
        return 'failed' if fault else 'completed'

    def _hear(self, going, enough):
        """Process messages of the drivers until `enough()`.

        Stop the drivers when the run is stopped.
        """
        stopped, until = False, going.deadline + LATE
        while not enough() and not going.over:
            for place, kind, content in self._drivers.receive(HEARD):
                if going.take(place, kind, content):
                    self._watch.tick(going.result)
            if not stopped and (self._stop.is_set() or going.died):
                stopped = True
                until = monotonic() + LATE
                self._drivers.send('stop')
            if monotonic() > until:
                going.result.faults.append('a driver did not end in time and was killed')
                self._drivers.kill()  # `receive` reports it; the others' results stay
                until = math.inf
