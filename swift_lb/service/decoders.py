"""What `swift-lb-image` of this host says of its decoders, and of the parts that proxies answered.

The agent asks it once an interval.
"""
from contextlib import closing
from socket import AF_UNIX

from swift_lb.concurrency import Timeout, plain_socket, wait_readable
from swift_lb.errors import WireError
from swift_lb.service.part_rates import PartRates
from swift_lb.wire import image_counts
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack
from swift_lb.wire.image_state import IMAGE_METRICS, as_metrics, of_quote

WAIT = 0.25             # seconds for an answer
QUESTION = pack({'do': 'status'})


class HostDecoders:
    """The decoders of this host, as its daemon has told last."""

    def __init__(self, log):
        """Take `log(component, sentence)`, which is called when the daemon begins to fail."""
        self.state, self.fault = None, None     # an ImageState; why there is none
        self.rates = PartRates()
        self.cache = {}     # what it tells of its store: image_counts.cache_of()
        self._log = log

    def ask(self, path, now):
        """Ask the daemon at the unix socket `path`, None if this host has none, at `now`.

        Other greenthreads run meanwhile, and have what it told last; it takes WAIT seconds at most.
        """
        before = self.fault
        self.state, self.fault, self.cache = (None, None, {}) if path is None else self._told(
            path, now)
        if self.fault is not None and before is None:
            self._log('image', self.fault)

    def _told(self, path, now):
        """Return what the daemon tells now, as (state, fault, cache)."""
        fault = f'swift-lb-image does not answer at {path}'
        try:
            status = answer_of(path)
            self.rates.add(image_counts.of_status(status), now)
            return of_quote(status), None, image_counts.cache_of(status)
        except Timeout:
            fault += f' in {WAIT:g} s'
        except (OSError, WireError) as err:
            fault += f': {getattr(err, "strerror", None) or err}'
        return None, fault, {}

    def metrics(self):
        """Return {metric: number} of the decoders and the parts, {} while there is no state."""
        return {} if self.state is None else as_metrics(self.state) | self.rates.metrics()

    def unknown(self):
        """Return {metric: reason} of the metrics that are unknown because the daemon fails."""
        return {} if self.fault is None else dict.fromkeys(
            (*IMAGE_METRICS, *image_counts.PART_METRICS), self.fault)


def answer_of(path):
    """Return the daemon's answer to QUESTION, a dict; raises OSError, WireError or Timeout."""
    with closing(plain_socket(AF_UNIX)) as connection, Timeout(WAIT):
        # It never blocks: a unix socket connects at once, or fails, and the question is short.
        connection.setblocking(False)
        connection.connect(path)
        connection.sendall(QUESTION)
        size, body = lengths(exactly(connection, HEAD.size))
        if body:
            raise WireError('the status has a body')
        return message_of(exactly(connection, size))


def exactly(connection, size):
    """Return `size` bytes from a socket that does not block; raises OSError if it ends before."""
    data = bytearray()
    while len(data) < size:
        wait_readable(connection)
        piece = connection.recv(size - len(data))
        if not piece:
            raise OSError('the connection has ended')
        data += piece
    return bytes(data)
