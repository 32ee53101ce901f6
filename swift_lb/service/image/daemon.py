"""`swift-lb-image`: the daemon, which forks the workers and answers proxies on a unix socket."""
import asyncio
import os
import signal
import sys

# Before NumPy is imported: threads of its linear algebra would only cost memory, in each worker.
for _name in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ.setdefault(_name, '1')

from swift_lb import clock  # noqa: E402
from swift_lb.config import endpoint  # noqa: E402
from swift_lb.errors import ImageServiceError  # noqa: E402
from swift_lb.service.image import options  # noqa: E402
from swift_lb.service.image.crew import Crew  # noqa: E402
from swift_lb.service.image.jobs import Jobs  # noqa: E402
from swift_lb.service.image.kept_requests import KeptRequests  # noqa: E402
from swift_lb.service.image.place import ServicePlace  # noqa: E402
from swift_lb.service.image.server import BUFFER, ImageServer, NoStore  # noqa: E402
from swift_lb.service.image.shared_jobs import SharedJobs  # noqa: E402
from swift_lb.service.image.store import Store, make_folder  # noqa: E402
from swift_lb.service.image.telling import Telling, tell_for_ever  # noqa: E402
from swift_lb.service.image.worker import codecs  # noqa: E402
from swift_lb.service.mesh import Mesh  # noqa: E402
from swift_lb.service.process import ServiceDaemon, peers_text, run, run_unpatched  # noqa: E402

NO_RELOAD = 'the options of [lb-image] can only be changed by a restart'


class LbImage(ServiceDaemon):
    """The daemon swift-lb-image of one host."""

    def __init__(self, conf):
        super().__init__(conf)
        self.options = options.read(self._path)
        import_codecs()
        user = conf.get('user', 'swift')
        self._place = ServicePlace(self.options.socket, user)
        if self.options.cache:
            make_folder(self.options.cache_dir, user)
        self._requests = self._telling = self._node = None
        if self.options.peers:
            mesh = Mesh(self.options.bind_ip, self.options.bind_port)
            self._requests = KeptRequests()
            self._node, keys = options.identity(self._path)
            self._telling = Telling(self._node, keys, self._requests, mesh, int(clock.wall()))

    def run_once(self, *args, **kwargs):
        """Do the same as run_forever, because a server does not end after one turn."""
        self.run_forever(*args, **kwargs)

    def run_forever(self, *_args, **_kwargs):
        """Serve until SIGTERM or SIGINT; exit with 1 if the workers can not start."""
        try:
            asyncio.run(self._serve())
        except OSError as err:
            self.logger.error('swift-lb-image: a worker can not be started: %s', err)
            sys.exit(1)

    async def _serve(self):
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._warn, NO_RELOAD)
        workers = self.options.workers or len(os.sched_getaffinity(0))
        crew = Crew(self.options, workers, self._warn)
        await crew.start()
        jobs = SharedJobs(Jobs(self.options, crew, clock.monotonic))
        server = ImageServer(jobs, self._store(), self._warn, self._telling)
        listener = await asyncio.start_unix_server(
            server.serve, sock=self._place.socket, limit=BUFFER)
        self._say_start('swift-lb-image', *facts_of(self.options, self._node, workers))
        telling = asyncio.create_task(
            tell_for_ever(self._telling, self.options.peers, self._warn))
        await stop.wait()
        telling.cancel()
        listener.close()
        self._place.leave()
        await server.end()
        await jobs.end()
        await crew.end()

    def _store(self):
        if not self.options.cache:
            return NoStore()
        return Store(self.options.cache_dir, self.options.cache, self.options.cache_least,
                     self._warn, self._requests)

    def _warn(self, sentence):
        self.logger.warning('swift-lb-image: %s', sentence)


def facts_of(options, node, workers):
    """Return texts that say what the ImageServiceOptions of a host are, for its log, without keys.

    `node` is the host's name for its peers, None without peers; it has so many `workers`.
    """
    kept = f'cache of {options.cache} bytes in {options.cache_dir}' if options.cache else 'no cache'
    hears = [f'node {node}', f'UDP at {endpoint(options.bind_ip, options.bind_port)}']
    return (f'serves at {options.socket}', f'workers {workers}', kept, *(hears if node else ()),
            peers_text(options.peers))


def import_codecs():
    """Import Pillow and NumPy, before workers are forked; raises ImageServiceError without them."""
    try:
        codecs(clock.monotonic, 0)
    except ImportError as err:
        raise ImageServiceError(f'{err}; swift-lb[image] installs what is needed') from None


def main():
    """Run the daemon; the first argument of the command is its conf file."""
    run(LbImage, options, run_unpatched)
