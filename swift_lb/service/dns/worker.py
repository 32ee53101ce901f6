"""What the processes of the DNS service have in common, and how one that hangs is replaced.

Swift restarts a process that has ended, and does not notice one that hangs. So each process writes
its pid and the time into shared memory, which the parent checks.
"""
import contextlib
import json
import mmap
import os
import signal
import struct

from swift_lb.instruction_file import InstructionFile

CHECK_INTERVAL = 0.1      # seconds between two checks for a new Instruction
REPORT = 1.0    # seconds between two reports of the counts
BEAT = struct.Struct('<qd')     # pid, instant
MAX_SILENCE = 5.0               # seconds without a beat; a step takes milliseconds


class DnsWorker:
    """A process of the DNS service: it gives its task the Instruction, and reports its counts."""

    def __init__(self, name, task, path, clock, reports, beat):
        """Take the name of the process, its task, and the path of the Instruction's file.

        `task` has follow(instruction, now), which is called at once, and document(now), which
        returns counts since its start. Reports are sent to `reports`, a datagram socket;
        `beat(now)` notes that the process is alive.
        """
        self._name, self._task, self._clock, self._reports = name, task, clock, reports
        self._file, self._parent, self._beat = InstructionFile(path, clock), os.getppid(), beat
        self._step_at = self._report_at = float('-inf')
        self._faults, self._fault = 0, None
        self.step()

    def step(self):
        """Read the Instruction, note being alive, and report, if due; exit if the parent ended."""
        now = self._clock()
        if now < self._step_at:
            return
        self._step_at = now + CHECK_INTERVAL
        self._beat(now)
        self._task.follow(self._file.current(), now)
        if now >= self._report_at:
            self._report_at = now + REPORT
            if os.getppid() != self._parent:
                raise SystemExit(0)
            self._report(now)

    def report_fault(self, err):
        """Count an internal error; the next report has the count and this error."""
        self._faults, self._fault = self._faults + 1, str(err) or repr(err)

    def _report(self, now):
        report = self._task.document(now) | {
            'worker': self._name, 'pid': os.getpid(), 'faults': self._faults, 'fault': self._fault,
            'instruction': self._file.fault}
        with contextlib.suppress(OSError):      # no receiver: the next report has the totals again
            self._reports.send(json.dumps(report).encode())


class Heartbeats:
    """Shared memory in which each process notes that it is alive; made before they start."""

    def __init__(self, count):
        self._places = range(count)
        self._memory = mmap.mmap(-1, BEAT.size * count)
        self._ended = set()     # pids that were killed and have not disappeared yet

    def beat(self, place, now):
        """Note that this process, which has the slot number `place`, is alive at `now`."""
        BEAT.pack_into(self._memory, BEAT.size * place, os.getpid(), now)

    def end_silent(self, now):
        """Kill the processes whose last beat is older than MAX_SILENCE; return their pids."""
        silent = [pid for pid, at in self._beats() if now - at > MAX_SILENCE]
        for pid in silent:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._clear(silent)
        return silent

    def leave(self):
        """Let bury() reap all processes, since Swift ends them for a restart without reaping."""
        pids = [pid for pid, _at in self._beats()]
        self._ended.update(pids)
        self._clear(pids)

    def bury(self):
        """Reap the killed processes that have ended, without waiting for those that have not."""
        for pid in list(self._ended):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            self._ended.discard(pid)

    def _beats(self):
        """Return [(pid, instant of the last beat)] of all processes that have started."""
        beats = [BEAT.unpack_from(self._memory, BEAT.size * place) for place in self._places]
        return [(pid, at) for pid, at in beats if pid]

    def _clear(self, pids):
        for place in self._places:
            if BEAT.unpack_from(self._memory, BEAT.size * place)[0] in pids:
                BEAT.pack_into(self._memory, BEAT.size * place, 0, 0.0)
