"""The controller: runs the stages of a workload one after another on its drivers."""
import math
import random
import threading

from swift_lb.clock import local_time, monotonic
from swift_lb.workload.drivers import Drivers
from swift_lb.workload.figures import stage_fault
from swift_lb.workload.result import Entered, RunResult, StageResult
from swift_lb.workload.stage_run import StageRun

HEARD = 0.2   # seconds between two looks at whether somebody wants it to stop
LATE = 15.0   # seconds after which a driver that should have ended is ended


class Watch:
    """Is told how a run goes; this one does nothing with it."""

    def stage(self, stage):
        """Take a StageResult whose state has changed."""

    def tick(self, stage):
        """Take a StageResult whose timeline has a new Tick."""


def run(workload, *, endpoints=(), processes=None, watch=None, stop=None, seed=None):
    """Run a Workload and return its RunResult, whatever end it comes to.

    `endpoints` are URLs of proxies that replace those of the workload, see endpoint.storage_url;
    `processes` how many drivers, one a core if None; `stop` a threading.Event that ends the run:
    what was measured so far is kept, and the state is terminated. `seed` makes the same choices of
    objects and sizes again.
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
        """Have the drivers do the works; return the state they ended in."""
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
        """Take what the drivers say until `enough`; stop them where they are to stop."""
        stopped, until = False, going.deadline + LATE
        while not enough() and not going.over:
            for place, kind, told in self._drivers.receive(HEARD):
                if going.take(place, kind, told):
                    self._watch.tick(going.result)
            if not stopped and (self._stop.is_set() or going.died):
                stopped = True
                until = monotonic() + LATE
                self._drivers.send('stop')
            if monotonic() > until:
                going.result.faults.append('a driver did not end in time and was killed')
                self._drivers.kill()  # it is then told of as dead; what the others did is kept
                until = math.inf
