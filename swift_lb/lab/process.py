"""The processes of a lab: started, recognised, ended. Nothing is ever found by its name.

A process is (pid, start time), or carries the lab's mark. The start time is the kernel's, in clock
ticks since boot: psutil's create_time is wall-clock, which steps on virtual machines.
"""
import contextlib
import os
import pathlib
import signal
import subprocess
from typing import NamedTuple

from swift_lb.clock import monotonic, sleep
from swift_lb.errors import LabError

MARK = 'SWIFT_LB_LAB'    # in the environment of every process of a lab: the lab's directory
POLL = 0.02          # seconds between looks at processes that are ending
AFTER_KILL = 5.0     # seconds a killed process may take to be gone
UNMARKED = 1.0       # seconds a process may take to show its environment


class Process(NamedTuple):
    """One process that `up` started, leader of its own session and process group."""

    name: str
    kind: str
    pid: int
    started: int         # clock ticks since boot
    command: list
    ip: str | None = None
    port: int | None = None

    @property
    def alive(self):
        """Whether it is this very process that runs, not a later one with its pid."""
        return start_time(self.pid) == self.started

    @property
    def address(self):
        """ip:port, or the empty string for a process that does not listen on TCP."""
        return f'{self.ip}:{self.port}' if self.ip else ''


class Stat(NamedTuple):
    """The part of /proc/PID/stat that is needed here."""

    state: str
    group: int
    started: int


def stat(pid):
    """Return the Stat of `pid`, or None if there is no such process."""
    try:
        text = pathlib.Path(f'/proc/{pid}/stat').read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(')')[2].split()  # the name before it may hold blanks and brackets
    return Stat(fields[0], int(fields[2]), int(fields[19]))


def start_time(pid):
    """Return when `pid` started, in ticks since boot; None if it is gone or only not yet reaped."""
    found = stat(pid)
    return None if found is None or found.state in 'ZX' else found.started


def spawn(directory, name, kind, command, ip=None, port=None):
    """Start `command` (a list) for the lab in `directory`, its output appended to log/NAME.out.

    It gets a session of its own: a terminal's Ctrl-C is then not meant for it, and its children can
    be told by their group.
    """
    out = pathlib.Path(directory, 'log', f'{name}.out')
    with open(out, 'ab') as log:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd='/',
            start_new_session=True,
            env=os.environ | {'PYTHONWARNINGS': 'ignore', MARK: str(directory)})
    child.returncode = 0  # reaped in reap(); Popen would warn of, and poll, what outlives it
    _wait_for_mark(child.pid, directory)
    # A child that is gone already has no start time; -1 fits no process.
    return Process(name, kind, child.pid, start_time(child.pid) or -1, list(map(str, command)),
                   ip, port)


def _wait_for_mark(pid, directory):
    """Wait until a child that has just begun its program shows its environment.

    Popen returns a moment before: the kernel closes the pipe that it waits for, and then fills in
    the new environment. Whoever looked in between would not take the child for the lab's.
    """
    until = monotonic() + UNMARKED
    while start_time(pid) is not None and not _marked(pid, directory) and monotonic() < until:
        sleep(0.001)


def reap(pid):
    """Collect `pid` if it is a dead child of ours; of others' children nothing is known here."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def members(directory, processes=None):
    """Return the pids of all that lives of the lab in `directory`, or only of `processes` of it.

    A process is the lab's if its environment says so, which spawn() has put there: that covers
    workers that outlive their parent, and what was started a moment before `up` was interrupted
    and is in no list. Those of `processes` are told by their group.
    """
    groups = None if processes is None else {process.pid for process in processes}
    found = {process.pid for process in processes or () if process.alive}
    for pid in map(int, filter(str.isdigit, os.listdir('/proc'))):
        seen = stat(pid)
        if (seen and seen.state not in 'ZX' and (groups is None or seen.group in groups)
                and _marked(pid, directory)):
            found.add(pid)
    return found


def _marked(pid, directory):
    try:
        environment = pathlib.Path(f'/proc/{pid}/environ').read_bytes()
    except OSError:  # another user's, or gone
        return False
    return os.fsencode(f'{MARK}={directory}') in environment.split(b'\0')


def stop(processes, patience, left):
    """End `processes` and all that is `left`: SIGTERM, up to `patience` seconds, then SIGKILL.

    `left` is a function that returns the pids still alive; `patience` 0 kills at once. Returns the
    names of those of `processes` that were still running. Raises LabError if something outlives it.

    What is left is killed again and again: a parent whose worker is killed before it may have
    started another in between, which is in no list; it would go on at the same port.
    """
    running = [process for process in processes if process.alive]
    if patience > 0:
        for process in running:
            _signal(process.pid, signal.SIGTERM)
        _wait(processes, left, patience)
    alive = _wait(processes, left, AFTER_KILL, signal.SIGKILL)
    if alive:
        raise LabError('can not be killed, and still run: process '
                       + ', '.join(map(str, sorted(alive))))
    return [process.name for process in running]


def _wait(processes, left, seconds, number=None):
    """Return the pids still there after `seconds`; each look sends them the signal `number`."""
    until = monotonic() + seconds
    while alive := left():
        if monotonic() > until:
            break
        for pid in alive if number else ():
            _signal(pid, number)
        for process in processes:
            reap(process.pid)
        sleep(POLL)
    return alive


def _signal(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def memory(pids):
    """Return the resident bytes of `pids`, shared pages counted once for each of them."""
    pages = 0
    for pid in pids:
        try:
            pages += int(pathlib.Path(f'/proc/{pid}/statm').read_text().split()[1])
        except (OSError, IndexError):
            continue
    return pages * os.sysconf('SC_PAGESIZE')
