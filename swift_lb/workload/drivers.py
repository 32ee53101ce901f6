"""The driver processes, as the controller sees them: it starts them and exchanges messages."""
import contextlib
import multiprocessing
import os
import signal
from multiprocessing import resource_tracker
from multiprocessing.connection import wait

from swift_lb.workload import driver
from swift_lb.workload.driver import Share

END = 5.0  # seconds a driver has to end by itself
MAX_DRIVERS = 1024  # drivers, of about 50 MB each
STOPS = {signal.SIGINT, signal.SIGTERM}


class Drivers:
    """A context in which driver processes run; each runs its Shares of the works of every stage."""

    def __init__(self, number=None):
        """Start `number` processes; None: one for each core that this process may use."""
        self.number = number or len(os.sched_getaffinity(0))
        context = multiprocessing.get_context('spawn')  # fork would copy locks of rich's threads
        self._pipes, self._processes, self._dead = [], [], {}
        with _signals_blocked():
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

    def send(self, kind, content=None):
        """Send the message (`kind`, `content`) to every live driver."""
        for place in range(self.number):
            self._send(place, kind, content)

    def submit(self, works, endpoints, seed):
        """Send each driver its Shares of a stage's `works`, with the `endpoints` and the `seed`."""
        for place in range(self.number):
            self._send(place, 'stage', shares(works, place, self.number, endpoints, seed))

    def _send(self, place, kind, content):
        with contextlib.suppress(OSError):  # it has died; `receive` reports it
            self._pipes[place].send((kind, content))

    def receive(self, timeout):
        """Return [(index of the driver, kind, content)], the messages within `timeout` seconds.

        A driver that has died yields ('died', its exit code) at every call.
        """
        living = [pipe for place, pipe in enumerate(self._pipes) if place not in self._dead]
        messages = []
        for pipe in wait(living, timeout):
            place = self._pipes.index(pipe)
            try:
                messages.append((place, *pipe.recv()))
            except (EOFError, OSError):
                self._processes[place].join(END)
                self._dead[place] = self._processes[place].exitcode
        return messages + [(place, 'died', code) for place, code in self._dead.items()]

    def kill(self):
        """Kill all drivers; called if one of them does not end in time."""
        for process in self._processes:
            process.kill()


@contextlib.contextmanager
def _signals_blocked():
    """A context in which processes are started that ignore Ctrl-C and SIGTERM from the beginning.

    A terminal, systemd and timeout(1) send these signals to all processes of a run; only the
    controller handles them, and it stops the drivers.
    """
    resource_tracker.ensure_running()   # a later start would undo the signal mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def shares(works, place, drivers, endpoints=(), seed=''):
    """Return the Shares of `works` of the driver with index `place`, from 0, of `drivers`.

    They are a list with one for each work, with `endpoints` and `seed` in it. A work's workers go
    to the drivers in turn. Each work starts at a different driver, so that works with a single
    worker do not all go to the first one.
    """
    parts = []
    for number, work in enumerate(works):
        taking_part = min(drivers, work.workers)
        rank = (place - number) % drivers
        indexes = (tuple(range(rank + 1, work.workers + 1, taking_part)) if rank < taking_part
                   else ())
        parts.append(Share(work, indexes, rank, taking_part, tuple(endpoints), f'{seed} {number}'))
    return parts
