"""What happens to the containers of the bench `synced` while they are read, in threads."""
import contextlib
import os
import random
import signal
import threading
from http.client import HTTPException

from swift_lb.clock import sleep
from swift_lb.lab import process

NAMES, SIZES = [f'o{number}' for number in range(200)], (1_000, 70_000, 70_000, 200_000)
CHANGE_EVERY, DELETED = 0.05, 0.25      # seconds between two changes, fraction of deletions
COPIES = 5.0        # seconds for which container-sync copies before it is stopped again


class Changes(threading.Thread):
    """Stores, overwrites and deletes the objects called NAMES in a container c."""

    def __init__(self, cluster, seed):
        """Take a SwiftCluster, and the seed by which objects and changes are drawn."""
        super().__init__(daemon=True)
        self.made = 0
        self._cluster, self._chance = cluster, random.Random(seed)

    def run(self):
        """Change objects until the process ends."""
        while True:
            self.change(self._chance.choice(NAMES))
            sleep(CHANGE_EVERY)

    def change(self, name):
        """Delete or store one object."""
        number, deletes = self.made, self._chance.random() < DELETED
        body = f'{name} {number}'.encode().ljust(SIZES[number % len(SIZES)], b'.')
        with contextlib.suppress(OSError, HTTPException):       # the proxy is being restarted
            self._cluster.ask(f'/c/{name}', 'DELETE' if deletes else 'PUT',
                              None if deletes else body)
        self.made += 1


class HeldSync(threading.Thread):
    """Stops the container-sync of a lab for `hold` seconds, lets it copy for some, and so on."""

    def __init__(self, lab, hold):
        """Take a Lab with one container-sync, and seconds."""
        super().__init__(daemon=True)
        self._lab, self._hold, self.held = lab, hold, 0

    def run(self):
        """Stop and continue it until the process ends."""
        while True:
            self._send(signal.SIGSTOP)
            sleep(self._hold)
            self.held += 1
            self._send(signal.SIGCONT)
            sleep(COPIES)

    def _send(self, number):
        for pid in process.members(self._lab.directory, [self._lab.processes['container-sync']]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
