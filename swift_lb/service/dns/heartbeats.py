"""Whether each process still turns: one that hangs is ended, so that another takes its place.

Swift starts a process anew that has ended, and knows nothing of one that hangs. Each writes its pid
and the instant into memory that all of them share, which their parent looks at.
"""
import contextlib
import mmap
import os
import signal
import struct

BEAT = struct.Struct('<qd')     # pid, instant
LONGEST = 5.0                   # seconds without a beat; a turn takes milliseconds


class Heartbeats:
    """A place for each of so many processes; made before they are."""

    def __init__(self, count):
        self._places = range(count)
        self._memory = mmap.mmap(-1, BEAT.size * count)
        self._ended = set()     # pids that have been told to end, and are not gone yet

    def beat(self, place, now):
        """Say that this process turns."""
        BEAT.pack_into(self._memory, BEAT.size * place, os.getpid(), now)

    def end_silent(self, now):
        """End who has not turned for LONGEST at the instant `now`; return their pids."""
        silent = [pid for pid, at in self._beats() if now - at > LONGEST]
        for pid in silent:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._clear(silent)
        return silent

    def leave(self):
        """Know that all processes are about to be ended by Swift, which does not wait for them."""
        pids = [pid for pid, _at in self._beats()]
        self._ended.update(pids)
        self._clear(pids)

    def bury(self):
        """Let those go that have ended."""
        for pid in list(self._ended):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            self._ended.discard(pid)

    def _beats(self):
        """Return [(pid, instant)] of all that have begun."""
        beats = [BEAT.unpack_from(self._memory, BEAT.size * place) for place in self._places]
        return [(pid, at) for pid, at in beats if pid]

    def _clear(self, pids):
        for place in self._places:
            if BEAT.unpack_from(self._memory, BEAT.size * place)[0] in pids:
                BEAT.pack_into(self._memory, BEAT.size * place, 0, 0.0)
