"""A lab with decoders of images, and clients that ask its proxies for parts, some at a time."""
import http.client
import socket
import threading
from contextlib import contextmanager
from typing import NamedTuple

from support.cluster import SwiftCluster, eventually
from support.dispatch_lab import Proxies
from support.running import running
from swift_lb.clock import monotonic
from swift_lb.lab.conf import image_socket
from swift_lb.lab.lab import Lab
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack

IMAGES = '/maps'


class SeenPart(NamedTuple):
    """What a client got for a request."""

    path: str
    seconds: float
    point: str | None   # None: the request has failed
    body: int           # a hash of it


class ImageLab(Proxies):
    """The proxies of a lab with a dispatcher and a decoder each, and its images."""

    @classmethod
    @contextmanager
    def up(cls, spec, images):
        """Yield an ImageLab; `images` is {name: file}."""
        with Lab.up(spec) as lab:
            cluster, result = SwiftCluster(lab), cls(lab)
            cluster.put(IMAGES)
            for name, data in images.items():
                cluster.put(f'{IMAGES}/{name}', data, Content_Type='image/j2c')
            result.wait()
            yield result

    def wait(self):
        """Wait until each proxy knows that all are up, and may delegate to all."""
        count = self.lab.spec.proxies
        assert eventually(lambda: all(
            [(peer['state'], peer['ejected_for']) for peer in self.page(number)['backends']]
            == [('up', 0.0)] * count for number in range(1, count + 1))), self.page(1)

    def path(self, image, task, **more):
        """Return path and query of a request for a Task of an image."""
        asked = {'lb_region': ','.join(map(str, task.region)), 'lb_reduce': task.reduce} | more
        return f'{self.base}{IMAGES}/{image}?' + '&'.join(
            f'{name}={value}' for name, value in asked.items())

    def seen(self, path, proxy, headers=()):
        """Send a request to a proxy; return the SeenPart."""
        begun = monotonic()
        try:
            answer = self.ask('GET', path, headers=headers, proxy=proxy)
        except (OSError, http.client.HTTPException):
            return SeenPart(path, monotonic() - begun, None, 0)
        point = answer.headers.get('x-lb-point') if answer.status == 200 else None
        return SeenPart(path, monotonic() - begun, point, hash(answer.body))

    def ask_decoder(self, number, **question):
        """Return the answer, a dict, of the decoder beside a proxy."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(image_socket(self.lab.directory, f'image-{number}')))
            connection.sendall(pack(question))
            with connection.makefile('rb') as file:
                return message_of(file.read(lengths(file.read(HEAD.size))[0]))

    def computed(self):
        """Return {proxy: parts that its decoder has computed}."""
        return {number: self.ask_decoder(number, do='status')['done']
                for number in range(1, self.lab.spec.proxies + 1)}


class Clients:
    """Clients that ask for one part after another, in threads, and what each request got."""

    def __init__(self, images, requests, count):
        """Take an ImageLab, an iterator of (path, proxy), and the number of clients."""
        self.seen = []
        self._images, self._requests, self._lock = images, iter(requests), threading.Lock()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(count)]

    def running(self):
        """Return a context in which the clients ask, until its end."""
        return running(self._threads, self._over)

    def run(self):
        """Ask for all `requests`; return the SeenParts."""
        for each in self._threads:
            each.start()
        for each in self._threads:
            each.join()
        return self.seen

    def wait(self, condition):
        """Wait until `condition(seen)` is true for what is seen from now on; return that."""
        begin = len(self.seen)
        assert eventually(lambda: condition(self.seen[begin:])), self.seen[begin:]
        return self.seen[begin:]

    def _run(self):
        while not self._over.is_set():
            with self._lock:
                path, proxy = next(self._requests, (None, None))
            if path is None:
                return
            self.seen.append(self._images.seen(path, proxy))


def failures(seen):
    """Return how many of the SeenParts have failed, or differ from another one of their part."""
    bodies = {}
    return sum(one.point is None or bodies.setdefault((one.path, one.point), one.body) != one.body
               for one in seen)
