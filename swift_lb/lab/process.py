"""Start, recognise and end the processes of a lab; a process is never recognised by its name.

A process is identified by (pid, start time), or by SWIFT_LB_LAB in its environment. The start
time is the kernel's, in clock ticks since boot: psutil's create_time is wall-clock time, which
steps on virtual machines.
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
POLL = 0.02          # seconds between checks of processes that are ending
AFTER_KILL = 30.0    # seconds that a killed process may take to disappear
UNMARKED = 30.0      # seconds until a new process shows its environment


class Process(NamedTuple):
    """One process of a lab, as `lab up` started it: the leader of a session and process group."""

    name: str
    kind: str
    pid: int
    started: int         # clock ticks since boot
    command: list
    ip: str | None = None
    port: int | None = None

    @property
    def alive(self):
        """Return whether this process still runs; a later one with the same pid does not count."""
        return start_time(self.pid) == self.started

    @property
    def address(self):
        """Return ip:port of the server, or its socket in the lab's directory; '' for neither."""
        if self.kind == 'image':
            return f'run/{self.name}.sock'
        return f'{self.ip}:{self.port}' if self.ip else ''


class Stat(NamedTuple):
    """Three fields of /proc/PID/stat: state, process group, start time in ticks since boot."""

    state: str
    group: int
    started: int


def stat(pid):
    """Return the Stat of process `pid`; None if there is no such process."""
    try:
        text = pathlib.Path(f'/proc/{pid}/stat').read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(')')[2].split()  # the name in front may contain blanks and brackets
    return Stat(fields[0], int(fields[2]), int(fields[19]))


def start_time(pid):
    """Return the start time of `pid` in ticks since boot; None if it has ended or is a zombie."""
    state = stat(pid)
    return None if state is None or state.state in 'ZX' else state.started


def output(directory, name):
    """Return the path of the file that gets stdout and stderr of the lab's process `name`."""
    return pathlib.Path(directory, 'log', f'{name}.out')


def spawn(directory, name, kind, command, ip=None, port=None):
    """Start `command`, a list, as the lab's process `name`; return its Process.

    Its output is appended to log/NAME.out in the lab's `directory`. It gets its own session: a
    terminal's Ctrl-C does not reach it, and its children are recognised by their process group.
    """
    with open(output(directory, name), 'ab') as log:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd='/',
            start_new_session=True,
            env=os.environ | {'PYTHONWARNINGS': 'ignore', MARK: str(directory)})
    child.returncode = 0  # reap() reaps it; Popen would warn of a child that outlives it
    _wait_for_mark(child.pid, directory)
    return born(child.pid, name, kind, command, ip, port)


def born(pid, name, kind, command, ip=None, port=None):
    """Return the Process for `pid`, which has just been started with `command`."""
    # A process that has already ended has no start time; -1 matches no process.
    return Process(name, kind, pid, start_time(pid) or -1, list(map(str, command)), ip, port)


def _wait_for_mark(pid, directory):
    """Wait until the new child `pid` has the variable SWIFT_LB_LAB in its environment.

    Popen returns a moment earlier: the kernel closes the pipe on which Popen waits before it fills
    in the new environment. Until then the child cannot be recognised as the lab's.
    """
    until = monotonic() + UNMARKED
    while start_time(pid) is not None and not _marked(pid, directory) and monotonic() < until:
        sleep(0.001)


def reap(pid):
    """Reap process `pid` if it is a dead child of this process; else do nothing."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def members(directory, processes=None):
    """Return the set of pids of all live processes of the lab in `directory`.

    If `processes` is given, it returns only their pids and those of their children, which have the
    same process group. A process belongs to the lab if spawn() set SWIFT_LB_LAB in its environment:
    so do workers that outlive their parent, and processes that an interrupted `up` started.
    """
    groups = None if processes is None else {process.pid for process in processes}
    pids = {process.pid for process in processes or () if process.alive}
    for pid in map(int, filter(str.isdigit, os.listdir('/proc'))):
        seen = stat(pid)
        if (seen and seen.state not in 'ZX' and (groups is None or seen.group in groups)
                and _marked(pid, directory)):
            pids.add(pid)
    return pids


def _marked(pid, directory):
    try:
        environment = pathlib.Path(f'/proc/{pid}/environ').read_bytes()
    except OSError:  # another user's process, or an ended one
        return False
    return os.fsencode(f'{MARK}={directory}') in environment.split(b'\0')


def stop(processes, term_seconds, left):
    """Send SIGTERM to `processes`; after `term_seconds` send SIGKILL to all pids of `left()`.

    `left()` returns the pids that are still alive, children included. If `term_seconds` is 0,
    SIGKILL is sent at once. Returns the names of those `processes` that ran. Raises LabError if a
    process survives.

    SIGKILL is repeated: a parent whose worker is killed first may start another one, which would
    keep the port.
    """
    running = [process for process in processes if process.alive]
    if term_seconds:
        for process in running:
            _signal(process.pid, signal.SIGTERM)
        _wait(processes, left, term_seconds)
    alive = _wait(processes, left, AFTER_KILL, signal.SIGKILL)
    if alive:
        raise LabError('cannot be killed, and still run: process '
                       + ', '.join(map(str, sorted(alive))))
    return [process.name for process in running]


def _wait(processes, left, seconds, number=None):
    """Wait at most `seconds` for all pids of `left()` to end; return the pids still alive.

    Sends the signal `number`, if given, to these pids every 20 ms, and reaps `processes`.
    """
    until = monotonic() + seconds
    while True:
        for process in processes:
            reap(process.pid)
        alive = left()
        if not alive or monotonic() > until:
            return alive
        for pid in alive if number else ():
            _signal(pid, number)
        sleep(POLL)


def _signal(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def memory(pids):
    """Return the resident memory of `pids` in bytes; shared pages count once for each process."""
    pages = 0
    for pid in pids:
        try:
            pages += int(pathlib.Path(f'/proc/{pid}/statm').read_text().split()[1])
        except (OSError, IndexError):
            continue
    return pages * os.sysconf('SC_PAGESIZE')
