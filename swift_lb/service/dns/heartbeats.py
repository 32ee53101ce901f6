"""Heartbeats of the processes: a process that hangs is killed and replaced.

Swift restarts a process that has ended, and does not notice one that hangs. Each process writes its
pid and the time into shared memory, which the parent checks.
"""
import contextlib
import mmap
import os
import signal
import struct

BEAT = struct.Struct('<qd')     # pid, instant
LONGEST = 5.0                   # seconds without a beat; a loop takes milliseconds


class Heartbeats:
    """A place for each process, made before the processes start."""

    def __init__(self, count):
        self._places = range(count)
        self._memory = mmap.mmap(-1, BEAT.size * count)
        self._ended = set()     # pids that were killed and have not disappeared yet

    def beat(self, place, now):
        """Note that process number `place` is alive."""
        BEAT.pack_into(self._memory, BEAT.size * place, os.getpid(), now)

    def end_silent(self, now):
        """Kill processes without a beat for LONGEST; return their pids."""
        silent = [pid for pid, at in self._beats() if now - at > LONGEST]
        for pid in silent:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._clear(silent)
        return silent

    def leave(self):
        """Note that Swift is about to end all processes, without waiting for them."""
        pids = [pid for pid, _at in self._beats()]
        self._ended.update(pids)
        self._clear(pids)

    def bury(self):
        """Reap killed processes that have ended."""
        for pid in list(self._ended):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            self._ended.discard(pid)

    def _beats(self):
        """Return [(pid, instant)] of all processes that have started."""
        beats = [BEAT.unpack_from(self._memory, BEAT.size * place) for place in self._places]
        return [(pid, at) for pid, at in beats if pid]

    def _clear(self, pids):
        for place in self._places:
            if BEAT.unpack_from(self._memory, BEAT.size * place)[0] in pids:
                BEAT.pack_into(self._memory, BEAT.size * place, 0, 0.0)
