"""What all processes have in common: they obey the Instruction, and tell each second what they do.
"""
import contextlib
import json
import os

from swift_lb.instruction_file import InstructionFile

TURN = 0.1      # seconds between two looks for an Instruction
TELL = 1.0      # seconds between two times that counts are told


class Worker:
    """One process, and what it tells."""

    def __init__(self, name, part, path, clock, teller, beat):
        """Take its name, the path of the Instruction, and the socket where is told; beat(now).

        `part` is what it does: turn(instruction, now), and document(now), its counts since it
        began. From the beginning it does what the Instruction says.
        """
        self._name, self._part, self._clock, self._teller = name, part, clock, teller
        self._file, self._parent, self._beat = InstructionFile(path, clock), os.getppid(), beat
        self._turn_at = self._tell_at = float('-inf')
        self._faults, self._fault = 0, None
        self.turn()

    def turn(self):
        """Do what is due; end the process if it has no parent any more."""
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
        """Count what must not be, and tell of it."""
        self._faults, self._fault = self._faults + 1, str(err) or repr(err)

    def _tell(self, now):
        said = self._part.document(now) | {
            'worker': self._name, 'pid': os.getpid(), 'faults': self._faults, 'fault': self._fault,
            'instruction': self._file.fault}
        with contextlib.suppress(OSError):      # nobody listens: later, then; counts are totals
            self._teller.send(json.dumps(said).encode())
