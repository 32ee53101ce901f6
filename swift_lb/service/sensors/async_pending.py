"""How many updates of containers this host owes."""
import json
import os

from swift_lb.errors import ConfigError
from swift_lb.regular_file import open_regular
from swift_lb.service.sensors.checks import path_fault
from swift_lb.service.sensors.sensor import Sensor
from swift_lb.service.sensors.unknown import UnknownError

PATH = '/var/cache/swift/object.recon'
MAX_AGE = 600.0     # seconds; twice the 5 minutes at which swift-recon-cron is usually run


class AsyncPending(Sensor):
    """Updates of containers that wait on this host's disks, as swift-recon-cron last counted them.

    Unknown until swift-recon-cron has counted once more since the agent was started, for how old
    the file is only a wall clock would tell; and when it has not counted for MAX_AGE.
    """

    name, unit = 'async_pending', 'updates'
    options = ('path',)

    def __init__(self, *, path=PATH):
        """Read the recon cache file at `path`."""
        if fault := path_fault('path', path):
            raise ConfigError([fault])
        self._path = path
        self._file = self._count = self._value = self._counted_at = None

    def _read(self, now):
        self._look(now)
        if self._counted_at is None:
            raise UnknownError(f'{self._path} has no count made since the agent was started')
        if now - self._counted_at > MAX_AGE:
            raise UnknownError(f'{self._path} has had no new count for {MAX_AGE:g} s')
        return self._value

    def _look(self, now):
        """Read the file if it has been written since; other daemons of Swift write to it as well.

        Of which count it is `async_pending_last` tells, or in an older Swift the file's own stamp.
        """
        status = os.stat(self._path)
        file = status.st_ino, status.st_mtime_ns
        if file == self._file:
            return
        with open_regular(self._path, encoding='utf-8') as opened:
            said = json.load(opened)
        value, count = said['async_pending'], said.get('async_pending_last', file)
        if self._count not in (None, count):
            self._counted_at = now
        self._file, self._count, self._value = file, count, value
