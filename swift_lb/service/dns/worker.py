"""The common part of all processes: follow the Instruction, and report counts each second."""
import contextlib
import json
import os

from swift_lb.instruction_file import InstructionFile

TURN = 0.1      # seconds between two checks for a new Instruction
TELL = 1.0      # seconds between two reports of the counts


class DnsWorker:
    """One process, and its reports."""

    def __init__(self, name, part, path, clock, teller, beat):
        """Take its name, its task `part`, the Instruction's path, the socket for reports.

        Beat(now).

        `part` has turn(instruction, now), and document(now), its counts since it began. It follows
        the Instruction from the beginning.
        """
        self._name, self._part, self._clock, self._teller = name, part, clock, teller
        self._file, self._parent, self._beat = InstructionFile(path, clock), os.getppid(), beat
        self._turn_at = self._tell_at = float('-inf')
        self._faults, self._fault = 0, None
        self.turn()

    def turn(self):
        """Do what is due; end the process if its parent has ended."""
        now = self._clock()
        if now < self._turn_at:
            return
        self._turn_at = now + TURN
        self._beat(now)
        self._part.turn(self._file.current(), now)
        if now >= self._tell_at:
            self._tell_at = now + TELL
            if os.getppid() != self._parent:
                raise SystemExit(0)
            self._tell(now)

    def say(self, err):
        """Count an internal error, and report it."""
        self._faults, self._fault = self._faults + 1, str(err) or repr(err)

    def _tell(self, now):
        said = self._part.document(now) | {
            'worker': self._name, 'pid': os.getpid(), 'faults': self._faults, 'fault': self._fault,
            'instruction': self._file.fault}
        with contextlib.suppress(OSError):      # no receiver: the next report has the totals again
            self._teller.send(json.dumps(said).encode())
