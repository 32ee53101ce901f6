"""One stage in progress: the messages of its drivers so far."""
import math

from swift_lb.clock import local_time
from swift_lb.workload.driver import Done
from swift_lb.workload.limits import limits
from swift_lb.workload.result import Progress, Tick
from swift_lb.workload.tally import merge


class StageRun:
    """Collects the messages of drivers and fills a StageResult."""

    def __init__(self, result, works, drivers):
        """Take the StageResult, those of its Works that are run, and the number of drivers."""
        self.result, self._works, self._drivers = result, works, drivers
        self.started = self._last_at = 0.0
        self.deadline = math.inf   # instant at which all works must have ended
        self._ready, self._done = set(), {}
        self._progress = {}        # driver: its last progress
        self._told = {}            # driver: the number of its ticks so far
        self._last = self._nothing()
        self.died = False

    @property
    def ready(self):
        """Return whether all drivers have logged in or failed to."""
        return len(self._ready) == self._drivers

    @property
    def over(self):
        """Return whether all drivers have ended."""
        return len(self._done) == self._drivers

    def _nothing(self):
        return [Progress() for work in self._works for _ in work.operations]

    def start(self, at):
        """Begin at the instant `at`."""
        self.started = self._last_at = at
        self.deadline = max(limits(work, at).until for work in self._works)

    def take(self, place, kind, content):
        """Process one message; return whether the timeline has a new Tick."""
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
        """Add a line to the timeline once every driver that still works has sent its progress."""
        self._progress[place] = progress
        self._told[place] = self._told.get(place, 0) + 1
        line = len(self.result.timeline) + 1
        if any(self._told.get(other, 0) < line for other in range(self._drivers)
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
        """Fill the result from the counts of all drivers."""
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
        """Return the measured seconds: to the planned end, or until the last driver was done."""
        bound = limits(work, self.started)
        return max(0.0, min(max(ended, default=0.0), bound.end) - bound.begin)
