"""The controller: runs the workstages of a workload, one after another, on driver processes."""
import math
import random
import threading

from swift_lb.clock import local_time, monotonic
from swift_lb.workload.driver import Done
from swift_lb.workload.drivers import Drivers
from swift_lb.workload.figures import stage_fault
from swift_lb.workload.limits import limits
from swift_lb.workload.result import Entered, Progress, RunResult, StageResult, Tick
from swift_lb.workload.tally import merge

CHECK_INTERVAL = 0.2   # seconds between two checks of the event that stops a run
LATE = 15.0   # seconds after its time at which a driver is killed


class Watch:
    """Is told of the progress of a run; this base class ignores it."""

    def stage(self, stage):
        """Take a StageResult whose state has changed."""

    def tick(self, stage):
        """Take a StageResult whose timeline has a new last Tick, the figures of one interval."""


def run(workload, *, endpoints=(), processes=None, watch=None, stop=None, seed=None):
    """Run a Workload and return its RunResult, however the run ends.

    `endpoints` are URLs of proxies that replace those of the workload, see worker.storage_url;
    `processes` is the number of drivers, None for one on each core; `watch` is a Watch; `stop` is a
    threading.Event that ends the run: results so far are kept, and the state is `terminated`. The
    same `seed` chooses the same objects and sizes.
    """
    seed = random.SystemRandom().getrandbits(64) if seed is None else seed
    with Drivers(processes) as drivers:
        return _Run(workload, drivers, endpoints, watch or Watch(), stop or threading.Event(),
                    seed).run()


class _Run:
    """One run of a workload: starts its stages in turn, and collects what the drivers report."""

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
        self._receive_until(going, lambda: going.ready)
        if not (going.all_drivers_ended or stage.faults or self._stop.is_set()):
            self._state(stage, 'launching')
            going.start(monotonic() + CHECK_INTERVAL)
            self._drivers.send('start', going.started)
            self._state(stage, 'running')
        else:
            self._drivers.send('stop')
        self._receive_until(going, lambda: going.all_drivers_ended)
        self._state(stage, 'closing')
        going.finish()
        if self._stop.is_set() or stage.faults:
            return 'terminated'
        fault = stage_fault(stage)
        if fault:
            stage.faults.append(fault)
        return 'failed' if fault else 'completed'

    def _receive_until(self, going, enough):
        """Pass messages of the drivers to the StageRun `going` until `enough()` is true.

        If the run is stopped, or a driver dies, tell the drivers to stop; kill those that do not.
        """
        stopped, until = False, going.deadline + LATE
        while not enough() and not going.all_drivers_ended:
            for place, kind, content in self._drivers.receive(CHECK_INTERVAL):
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


class StageRun:
    """Collects the messages of the drivers during one stage, and fills its StageResult."""

    def __init__(self, result, works, drivers):
        """Take the StageResult to fill, the Works of the stage, and the number of drivers."""
        self.result, self._works, self._drivers = result, works, drivers
        self.started = self._last_at = 0.0
        self.deadline = math.inf   # instant at which all works must have ended
        self._ready, self._done = set(), {}
        self._progress = {}        # driver: its last progress
        self._ticks = {}           # driver: the number of its ticks so far
        self._last = self._nothing()
        self.died = False

    @property
    def ready(self):
        """Return whether all drivers have reported the end of their workers' logins."""
        return len(self._ready) == self._drivers

    @property
    def all_drivers_ended(self):
        """Return whether every driver has ended its part of this stage, or has died."""
        return len(self._done) == self._drivers

    def _nothing(self):
        return [Progress() for work in self._works for _ in work.operations]

    def start(self, at):
        """Note that the workers begin at `at`, an instant of the monotonic clock."""
        self.started = self._last_at = at
        self.deadline = max(limits(work, at).until for work in self._works)

    def take(self, place, kind, content):
        """Process a message of driver number `place`, from 0; return whether it adds a Tick.

        A Tick is a line of the timeline. `kind` tells what `content` is: 'ready' faults of logins,
        'tick' (instant, progress), 'done' a Done, 'died' an exit code.
        """
        if kind == 'ready':
            self._ready.add(place)
            self._note(content)
        elif kind == 'tick':
            return self._tick(place, *content)
        elif kind == 'done' and place not in self._done:
            self._note(content.faults)
            self._done[place] = content
        elif kind == 'died' and place not in self._done:
            self.died = True
            self._note([f'driver{place + 1} has died (exit code {content})'])
            self._done[place] = Done(self.started, self._progress.get(place, []), [], [], [])
        return False

    def _note(self, faults):
        self.result.faults += [fault for fault in faults if fault not in self.result.faults]

    def _tick(self, place, at, progress):
        """Add a line to the timeline once every driver that still works has sent its progress.

        Return whether this was done. `progress` is that of driver number `place` at the instant
        `at`.
        """
        self._progress[place] = progress
        self._ticks[place] = self._ticks.get(place, 0) + 1
        line = len(self.result.timeline) + 1
        if any(self._ticks.get(other, 0) < line for other in range(self._drivers)
               if other not in self._done):
            return False
        return self._line(at)

    def _line(self, at):
        for place, report in self._done.items():
            self._progress[place] = report.progress
        sums = self._nothing()
        for progress in self._progress.values():
            flat = [one for ops in progress for one in ops]
            sums = [Progress(*map(sum, zip(*pair, strict=True)))
                    for pair in zip(sums, flat, strict=False)] if flat else sums
        deltas = [Progress(*(now - then for now, then in zip(*pair, strict=True)))
                  for pair in zip(sums, self._last, strict=True)]
        self.result.timeline.append(Tick(local_time(), at - self._last_at, deltas))
        self._last, self._last_at = sums, at
        return True

    def finish(self):
        """Fill the StageResult with the counts that the drivers sent at their end."""
        if not self.started:
            return
        at = max(report.at for report in self._done.values())
        if at > self._last_at:
            self._line(at)
        whole = [report for report in self._done.values() if report.counts]
        self.result.works = [
            merge(work, number + 1, [report.counts[number] for report in whole])
            for number, work in enumerate(self._works)]
        for number, work in enumerate(self.result.works):
            work.window = self._window(work.work, [report.ended[number] for report in whole])

    def _window(self, work, ended):
        """Return the seconds of a work's measured window, which an early end of the work shortens.

        `ended` holds the instant at which each driver ended the work.
        """
        bound = limits(work, self.started)
        return max(0.0, min(max(ended, default=0.0), bound.end) - bound.begin)
