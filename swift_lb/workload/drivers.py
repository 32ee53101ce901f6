"""The driver processes, seen from the controller: one a core, as many as it is told."""
import contextlib
import multiprocessing
import os
import signal
from multiprocessing import resource_tracker
from multiprocessing.connection import wait

from swift_lb.workload import driver
from swift_lb.workload.driver import Share

END = 5.0  # seconds a driver has to end by itself
MOST = 1024  # drivers, of some 50 MB each: more than nearly any machine has processors
STOPS = {signal.SIGINT, signal.SIGTERM}


class Drivers:
    """Processes that are sent the shares of each stage; a context manager."""

    def __init__(self, number=None):
        """`number` of processes; None: one for each core this process may use."""
        self.number = number or len(os.sched_getaffinity(0))
        context = multiprocessing.get_context('spawn')  # fork would copy rich's threads' locks
        self._pipes, self._processes, self._dead = [], [], {}
        with _deaf():
            for place in range(self.number):
                ours, theirs = context.Pipe()
                process = context.Process(target=driver.main, args=(theirs,), daemon=True,
                                          name=f'driver{place + 1}')
                process.start()
                theirs.close()
                self._pipes.append(ours)
                self._processes.append(process)

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.send('end')
        for process in self._processes:
            process.join(END)
            if process.is_alive():
                process.kill()
                process.join()
        for pipe in self._pipes:
            pipe.close()

    def send(self, kind, told=None):
        """Send the same order to every driver that lives."""
        for place in range(self.number):
            self._send(place, kind, told)

    def submit(self, works, endpoints, seed):
        """Send each driver its shares of `works`, in order."""
        for place in range(self.number):
            self._send(place, 'stage', shares(works, place, self.number, endpoints, seed))

    def _send(self, place, kind, told):
        with contextlib.suppress(OSError):  # it has died, and `receive` says so
            self._pipes[place].send((kind, told))

    def receive(self, timeout):
        """Return [(place, kind, what is told)] of what came within `timeout` seconds.

        A driver that has died says ('died', its exit code), each time it is asked.
        """
        living = [pipe for place, pipe in enumerate(self._pipes) if place not in self._dead]
        found = []
        for pipe in wait(living, timeout):
            place = self._pipes.index(pipe)
            try:
                found.append((place, *pipe.recv()))
            except (EOFError, OSError):
                self._processes[place].join(END)
                self._dead[place] = self._processes[place].exitcode
        return found + [(place, 'died', code) for place, code in self._dead.items()]

    def kill(self):
        """End them all at once: one does not answer any more."""
        for process in self._processes:
            process.kill()


@contextlib.contextmanager
def _deaf():
    """Have the processes that are started here not hear Ctrl-C and SIGTERM, from the first moment.

    A terminal, systemd and timeout(1) send those to all processes of a run; the controller's is
    the one that counts, and it says stop.
    """
    resource_tracker.ensure_running()   # where it is started later, it undoes the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def shares(works, place, drivers, endpoints=(), seed=''):
    """Return the Share of each of `works` that driver `place` of `drivers` has, from 0.

    Workers are dealt in turn; the works begin at different drivers, so that many works of one
    worker each are not all done by the first.
    """
    found = []
    for number, work in enumerate(works):
        taking_part = min(drivers, work.workers)
        rank = (place - number) % drivers
        indexes = (tuple(range(rank + 1, work.workers + 1, taking_part)) if rank < taking_part
                   else ())
        found.append(Share(work, indexes, rank, taking_part, tuple(endpoints), f'{seed} {number}'))
    return found
