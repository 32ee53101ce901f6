"""A limit of the processor time of processes, by a cgroup of version 1; needs root."""
import contextlib
import os
from pathlib import Path

import psutil

ROOT = Path('/sys/fs/cgroup/cpu')
PERIOD = 20_000     # microseconds: short beside a job of a decoder


def missing():
    """Return why processes of this machine cannot be limited, None if they can."""
    quota = ROOT / 'cpu.cfs_quota_us'
    return None if os.access(quota, os.W_OK) else f'{quota} cannot be written'


class ProcessorQuota:
    """A limit of a process, its descendants, and all that they will start."""

    def __init__(self, name, pid):
        """Take the name of the cgroup, which is made, and the process."""
        self._folder = ROOT / f'swift-lb-{os.getpid()}-{name}'
        self._folder.mkdir()
        self._write('cpu.cfs_period_us', PERIOD)
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            self._write('cgroup.procs', one.pid)

    def set(self, cores):
        """Let all of them together use so many cores, such as 0.3."""
        self._write('cpu.cfs_quota_us', round(cores * PERIOD))

    def remove(self):
        """Remove the limit; call this when the processes have ended."""
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _write(self, name, number):
        (self._folder / name).write_text(str(number))
