"""Asks `swift-lb-image`, the daemon of this host that decodes and keeps parts of images."""
import socket
from math import inf

from swift_lb.concurrency import is_readable, sleep
from swift_lb.errors import SwiftLBError, WireError
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack_begin

MOST_IDLE = 8       # connections that are kept
QUOTE = 1.0         # seconds for which a quote, or what is kept, is waited for
TURNS, PAUSE = 100, 0.01    # of connects to a daemon that has not accepted those before: 1 s
SILENT = 5.0        # seconds for which nothing is asked after a short wait in vain: a daemon that
#                     hangs would hold up each request. One with many jobs answers a quote


class DecoderError(SwiftLBError):
    """The daemon does not answer; the message has the reason."""


class Decoder:
    """The connections of one worker to the daemon. A connection has one question at a time."""

    def __init__(self, path, patience, clock):
        """Take the path of the daemon's socket; `patience` is seconds for which a job may take.

        `clock()` returns monotonic seconds.
        """
        self._path, self._patience, self._clock = path, patience, clock
        self._idle, self._silent_until = [], -inf

    def quote(self, keys, parts, saved):
        """Return the daemon's answer to a quote: what it keeps of `keys`, wait, seconds a pixel.

        `parts`, {point: number}, are the parts answered since the last quote, and `saved` the
        seconds that the choice of their points has saved, for the daemon's pages.
        """
        return self.ask({'do': 'quote', 'keys': list(keys), 'parts': parts, 'saved': saved},
                        patience=QUOTE)[0]

    def kept(self, key):
        """Return the bytes that are kept as `key`, None without any."""
        answer, body = self.ask({'do': 'get', 'key': key}, patience=QUOTE)
        return body if answer.get('ok') else None

    def keep(self, key, seconds, data, request=None):
        """Have `data` kept as `key`; a hit saves `seconds`.

        `request` is the key of the request that has asked for it, if there is one.
        """
        self.ask({'do': 'keep', 'key': key, 'seconds': seconds, 'request': request}, data, QUOTE)

    def ask(self, question, body=b'', patience=None):
        """Return (the answer, a dict, its body) to a question, a dict; raises DecoderError.

        It waits for `patience` seconds at most, by default those of a job.
        """
        begin = pack_begin(question, len(body))
        if self._clock() < self._silent_until:
            raise DecoderError(f'{self._path}: it was silent a moment ago')
        return self._asked(self._connection(), begin, body, patience)

    def _asked(self, connection, begin, body, patience):
        try:
            connection.settimeout(self._patience if patience is None else patience)
            connection.sendall(begin)
            if body:        # apart: a copy of both would take as much memory again
                connection.sendall(memoryview(body))    # of bytes, eventlet copies the rest often
            text, size = lengths(_exactly(connection, HEAD.size))
            answer = message_of(_exactly(connection, text)), _exactly(connection, size)
        except (OSError, WireError) as err:
            connection.close()
            raise self._failure(err, patience is not None) from None
        except BaseException:
            connection.close()
            raise
        if len(self._idle) < MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()
        return answer

    def _connection(self):
        while self._idle:
            connection = self._idle.pop()
            if not is_readable(connection):     # else the daemon has closed it: it has restarted
                return connection
            connection.close()
        return self._connected()

    def _connected(self):
        connection = socket.socket(socket.AF_UNIX)
        try:
            self._connect(connection)
        except OSError as err:
            connection.close()
            raise self._failure(err, True) from None
        return connection

    def _connect(self, connection):
        """Connect a new unix socket.

        That is done at once, unless too many others wait to be accepted. Such a socket does not
        tell when there is room: eventlet would try all the time, and take a whole core.
        """
        connection.setblocking(False)
        for _turn in range(TURNS):
            try:
                connection.connect(self._path)
                return
            except BlockingIOError:
                sleep(PAUSE)
        raise TimeoutError('it accepts no connections')

    def _failure(self, err, is_short):
        """Return the DecoderError of an error; ask nothing for SILENT seconds after a short wait.
        """
        if is_short and isinstance(err, TimeoutError):
            self._silent_until = self._clock() + SILENT
        return DecoderError(f'{self._path}: {getattr(err, "strerror", None) or err}')


def _exactly(connection, size):
    """Return `size` bytes from a socket; raises OSError if it ends before."""
    data = bytearray(size)
    view, begin = memoryview(data), 0
    while begin < size:
        count = connection.recv_into(view[begin:])
        if not count:
            raise OSError('the connection has ended')
        begin += count
    return bytes(data)
