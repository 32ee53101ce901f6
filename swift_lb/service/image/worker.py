"""A process that decodes: one job at a time, within limits, for the daemon that forked it.

Its stdin, stdout and stderr are /dev/null, and of the daemon's other files it has only its socket.
It answers a job that needs too much memory, and then ends, as it does after one that left much
memory in use; one that takes too much processor time is ended by the kernel, and answered for by
the daemon.
"""
import contextlib
import gc
import os
import resource
import signal
import socket
from importlib import import_module

from swift_lb import clock
from swift_lb.chains.registry import chains
from swift_lb.errors import TOO_LARGE, ChainError
from swift_lb.service.kernel import end_with_parent, forbid_new_privileges
from swift_lb.wire import image_job

MAX_FAULT = 1000        # characters of an error that is reported
# Signals that a daemon catches, and that of a job's limit of processor time
CAUGHT = signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCHLD, signal.SIGPROF
LEFT = 2                # a worker ends that has more than the option `memory` / LEFT after a job
MEMORY, GROWN = 'memory', 'grown'      # why a worker ends


def work(end, parent, options):
    """Do jobs that come through the socket `end` until it is closed; never returns.

    `parent` is the pid of the daemon and `options` are its ImageServiceOptions.
    """
    try:
        _confine(end, parent)
        worker = ImageWorker(options, end)
        worker.limit_memory()
        end.sendall(image_job.pack({'ready': True}))
        while worker.serve_one():
            pass
    except Exception as err:
        with contextlib.suppress(OSError):
            end.sendall(image_job.pack({'fault': repr(err)[:MAX_FAULT]}))
    finally:
        os._exit(0)     # none of the daemon's own clean-up


def _confine(end, parent):
    signal.set_wakeup_fd(-1)        # it belongs to the daemon's loop
    for number in CAUGHT:
        signal.signal(number, signal.SIG_DFL)
    gc.freeze()     # so that no object of the daemon is freed here, and closes a file by its number
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.closerange(3, end.fileno())
    os.closerange(end.fileno() + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    end_with_parent(parent)
    forbid_new_privileges()
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
        resource.setrlimit(limit, (0, 0))


class ImageWorker:
    """Does the jobs of one process."""

    def __init__(self, options, end):
        """Take ImageServiceOptions, and the socket through which jobs come."""
        self._options, self._end, self._file = options, end, end.makefile('rb')
        self._codecs, self._spent = codecs(clock.monotonic, options.memory), {}
        self._used_at_start = 0

    def limit_memory(self):
        """Limit this process for good: to what it has now, and what one job may add and leave."""
        self._used_at_start = used_memory()
        limit = self._used_at_start + self._options.memory + self._options.memory // LEFT
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def serve_one(self):
        """Do one job; return whether this process can do another."""
        head = self._file.read(image_job.HEAD.size)
        if len(head) < image_job.HEAD.size:
            return False
        self._allow_memory()
        sizes = image_job.lengths(head)
        text, cut = (self._file.read(size) for size in sizes)
        answer, body = self.answer(image_job.message_of(text), cut)
        del cut
        if 'leaving' not in answer and self._has_grown():
            answer['leaving'] = GROWN
        self._end.sendall(image_job.pack_begin(answer, len(body)))
        self._end.sendall(body)         # apart: a copy of it may be too much memory
        return 'leaving' not in answer

    def answer(self, question, cut):
        """Return (dict, body) of the answer to a question, within the limit of processor time."""
        began = clock.monotonic()
        # Not RLIMIT_CPU, which is of all jobs together: the kernel counts in ticks, and getrusage()
        # does not. With a cgroup's quota of 0.16 of a core the two differed by 40 %.
        signal.setitimer(signal.ITIMER_PROF, self._options.seconds)
        try:
            kind, body = self._run(image_job.job_of(question), cut)
        except MemoryError:
            return self._too_much_memory(), b''
        except ChainError as err:
            return image_job.failure(err), b''
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return {'ok': True, 'type': kind, 'seconds': clock.monotonic() - began,
                'spent': self._spent}, body

    def _run(self, job, cut):
        limit = self._options.pixels
        codec = self._codecs.get(job.chain)
        if codec is None:
            raise ChainError(f'there is no chain {job.chain!r}', image_job.BAD_REQUEST)
        result = (codec.pixels(cut, job.task, job.form, limit) if job.step == image_job.PIXELS
                  else codec.coefficients(cut, job.task, job.overview, limit))
        self._spent = codec.spent
        if len(result[1]) > image_job.MOST_BODY:
            raise ChainError(f'the result has more than {image_job.MOST_BODY} bytes', TOO_LARGE)
        return result

    def _too_much_memory(self):
        err = ChainError(f'the image needs more than {self._options.memory >> 20} MiB of memory',
                         TOO_LARGE)
        return image_job.failure(err) | {'leaving': MEMORY}

    def _allow_memory(self):
        """Let a job have as much memory as any other, whatever those before it have left in use."""
        _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = min(used_memory() + self._options.memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))

    def _has_grown(self):
        return used_memory() - self._used_at_start > self._options.memory // LEFT


def codecs(clock, memory):
    """Return {name of a chain: its ImageCodec} of all chains; `memory` is what each may use.

    The daemon calls it too, before it forks: then the workers need not import the modules.
    """
    return {name: import_module(chain.codec).ImageCodec(clock, memory)
            for name, chain in chains().items() if chain.codec}


def used_memory():
    """Return the bytes of address space that this process uses."""
    with open('/proc/self/statm', 'rb') as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def pair():
    """Return the (daemon's, worker's) ends of a new pair of sockets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
