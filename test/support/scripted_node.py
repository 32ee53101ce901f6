"""A storage node that answers by a script: a plain TCP server in threads, without Swift.

    node = ScriptedNode(NodeAnswer(body=b'hello', head_delay=0.1))
    ...                                     # point a ring at node.ip, node.port
    node.requests                           # the NodeRequests that it received
    node.close()

A script is a NodeAnswer, or a function from a NodeRequest to one, or a list of such: each answers
one connection, and the last one all that follow. The test process is not monkeypatched, so the
threads run beside eventlet's hub.
"""
import contextlib
import http.client
import socket
import struct
import threading
from dataclasses import dataclass, field
from typing import NamedTuple

from swift_lb.clock import monotonic
from swift_lb.concurrency import sleep

LAST = 'LAST'       # a method of our own, which no script sees
LONGEST = 30.0      # seconds that an answer waits for an event, and requests() for a connection's


class NodeRequest(NamedTuple):
    """A request that a ScriptedNode received; header names are in lower case."""

    method: str
    path: str
    headers: dict


@dataclass(frozen=True)
class NodeAnswer:
    """One answer of a ScriptedNode, and how it is sent."""

    status: int = 200
    headers: dict = field(default_factory=dict)
    body: bytes = b''
    bodiless: bool = False            # the head only, as to a HEAD
    chunked: bool = False             # no Content-Length
    head_delay: float | threading.Event = 0.0   # seconds, or an event, before the head, which is
    #                                   sent with the start of the body
    pause_after: int | None = None    # bytes of body after which it pauses
    pause: float | threading.Event = 0.0        # likewise
    cut_after: int | None = None      # bytes of body after which the connection is closed
    reset: bool = False               # ... with a RST
    hang: bool = False                # no answer until the node is closed

    def wire(self):
        """Return (head, body), the bytes to send."""
        framing = ({'Transfer-Encoding': 'chunked'} if self.chunked
                   else {'Content-Length': str(len(self.body))})
        lines = [f'HTTP/1.1 {self.status} {http.client.responses.get(self.status, "Odd")}',
                 *(f'{name}: {value}' for name, value in {**framing, **self.headers}.items())]
        head = '\r\n'.join([*lines, '', '']).encode('latin-1')
        if self.bodiless:
            return head, b''
        return head, b''.join(chunks(self.body)) if self.chunked else self.body


def chunks(body, size=16384):
    """Yield `body`, bytes, in chunked coding: chunks of `size` bytes, and the last, empty one."""
    for start in range(0, len(body), size):
        piece = body[start:start + size]
        yield b'%x\r\n%s\r\n' % (len(piece), piece)
    yield b'0\r\n\r\n'


class ScriptedNode:
    """A node that listens on a free port of `ip` at once, or refuses connections if `refuses`."""

    def __init__(self, script=None, ip='127.0.0.1', device='sd1', refuses=False):
        self.script = NodeAnswer() if script is None else script
        self._requests, self._unread = [], set()    # the latter: connections without a request yet
        self.heads = 0      # answers whose head has been sent
        self.ip, self.device = ip, device
        self._closed = threading.Event()
        self._listener = socket.socket(socket.AF_INET6 if ':' in ip else socket.AF_INET)
        self._listener.bind((ip, 0))
        self.port = self._listener.getsockname()[1]
        if not refuses:  # bound and not listening: the kernel refuses
            self._listener.listen(64)
            self._accepter = threading.Thread(target=self._accept, daemon=True)
            self._accepter.start()

    def close(self):
        """Stop, and close the connections of answers that hang."""
        self._closed.set()
        with contextlib.suppress(OSError):  # it refused
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()

    @property
    def requests(self):
        """The NodeRequests that the node has received, including all that were just sent."""
        self._catch_up()
        return self._requests

    def _catch_up(self):
        """Wait until `_requests` has every request whose connection was made before this call.

        Connections are accepted in the order they were made; so it makes one itself, and awaits it.
        """
        with contextlib.suppress(OSError), socket.create_connection((self.ip, self.port)) as last:
            last.sendall(f'{LAST} / HTTP/1.1\r\n\r\n'.encode())
            last.recv(1)
        until = monotonic() + LONGEST
        while self._unread and monotonic() < until:
            sleep(0.001)

    def count(self, *methods):
        """Return how many requests the node received: all, or only those with one of `methods`."""
        return sum(not methods or request.method in methods for request in self.requests)

    def _accept(self):
        while True:
            try:
                conn, _peer = self._listener.accept()
            except OSError:
                return
            self._unread.add(conn)
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn):
        with conn, contextlib.suppress(OSError):  # the proxy has gone, as it may
            try:
                if request := self._read(conn):
                    self._send(conn, self._next_answer(request))
            finally:
                self._unread.discard(conn)

    def _read(self, conn):
        """Return the NodeRequest that comes, its body dropped, or None if its method is LAST."""
        stream = conn.makefile('rb')
        method, path, _version = stream.readline().decode('latin-1').split()
        headers = {name.lower(): value
                   for name, value in http.client.parse_headers(stream).items()}
        if method == LAST:
            return None
        request = NodeRequest(method, path, headers)
        self._requests.append(request)
        self._unread.discard(conn)
        if headers.get('expect') == '100-continue':
            conn.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        take_body(stream, headers)
        return request

    def _next_answer(self, request):
        script = self.script
        if isinstance(script, list):
            script = script.pop(0) if len(script) > 1 else script[0]
        return script(request) if callable(script) else script

    def _send(self, conn, answer):
        if answer.hang:
            self._closed.wait()
            return
        head, body = answer.wire()
        self._wait(answer.head_delay)
        body = body if answer.cut_after is None else body[:answer.cut_after]
        first = len(body) if answer.pause_after is None else answer.pause_after
        conn.sendall(head + body[:first])
        self.heads += 1
        if body[first:] or answer.pause:
            self._wait(answer.pause)
            conn.sendall(body[first:])
        if answer.reset:
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        elif answer.cut_after is None:
            conn.shutdown(socket.SHUT_WR)
            conn.recv(1)  # until the proxy has read it all and closed

    def _wait(self, delay):
        if isinstance(delay, threading.Event):
            until = monotonic() + LONGEST
            while not (delay.wait(0.01) or self._closed.is_set() or monotonic() > until):
                pass
        else:
            self._closed.wait(delay)


def take_body(stream, headers):
    """Read a request's body, framed as `headers` say, from the file `stream`, and drop it."""
    if headers.get('transfer-encoding') == 'chunked':
        while size := int(stream.readline(), 16):
            stream.read(size + 2)
        stream.readline()
    else:
        stream.read(int(headers.get('content-length', 0)))
