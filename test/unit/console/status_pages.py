"""Status pages as proxy/status.py makes them, and a proxy that serves them."""
import json
import threading

# Bound here: eventlet, imported later, leaves its green copy as the attribute http.server.
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.free_port import held_port


def facts(**more):
    """Return the facts of a node without any read, updated by `more`."""
    return {'in_flight': 0, 'oldest_wait': None, 'last_throughput': None, 'last_chunk_age': None,
            'chunks': 0, 'connect_time': None, 'first_byte_time': None, 'first_byte_age': None,
            'successes': 0, 'errors': 0, 'timeouts': 0} | more


def node(number, choices=0, why='unmeasured: tried first', **more):
    """Return the page's entry of node 10.0.0.`number`; `why` is the default policy's."""
    why = why if isinstance(why, dict) else {'default': why}
    return {'node': f'10.0.0.{number}:6200/sda', 'ip': f'10.0.0.{number}', 'port': 6200,
            'device': 'sda', 'choices': choices, 'why': why} | facts(**more)


def policy(name='lb_rlt', enabled=True):
    """Return the page's entry of a policy."""
    return {'policy': name, 'enabled': enabled, 'chunk_clock': 'request', 'max_age': 300.0,
            'unmeasured': 'first', 'account_container': False}


def book(number=1, workers=2):
    """Return the page's entry of a book of so many workers."""
    return {'id': f'boot-{number}', 'path': f'/dev/shm/{number}.book', 'slot': 0, 'devices': 1,
            'room': 16384, 'workers': [
                {'slot': slot, 'pid': 100 + slot, 'in_flight': 0} for slot in range(workers)]}


def page(*nodes, pid=100, worker=0, policies=None, book=None, **more):
    """Return the status page of one worker, with a book of its own unless `book` is its entry."""
    return {'format': 2, 'pid': pid, 'worker': worker, 'book': book,
            'policies': policies or {'default': policy()},
            'nodes': list(nodes), 'last_orders': {}} | more


def order(*places, path='/AUTH_test/photos/cat', storage_policy=0, partition=33):
    """Return the page's `object`; each place is (number, why, error_limited, facts)."""
    return {'path': path, 'storage_policy': storage_policy, 'partition': partition,
            'order': [facts(**known) | {'node': f'10.0.0.{number}:6200/sda',
                                        'error_limited': limited, 'why': why}
                      for number, why, limited, known in places]}


class Handler(BaseHTTPRequestHandler):
    """Answers as its server's Proxy says."""

    def do_GET(self):
        """Answer one request."""
        status, headers, body = self.server.proxy.answer(self.path, self.headers)
        self.send_response(status)
        for name, value in (headers | {'Content-Length': str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Say nothing."""


class StubProxy:
    """A server that returns its `answers` in turn: (status, headers, body)."""

    def __init__(self):
        self.answers, self.requests, self._turn = [], [], 0
        self._lock = threading.Lock()
        self._holder = held_port()      # after close(), connections are refused
        self._server = ThreadingHTTPServer(self._holder.getsockname(), Handler)
        self._server.proxy = self
        self.url = f'http://127.0.0.1:{self._server.server_port}'
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, *pages):
        """Serve the pages in turn."""
        self.answers = [(200, {}, json.dumps(one).encode()) for one in pages]

    def refuses(self, status, body=b'', **headers):
        """Answer `status` to all."""
        self.answers = [(status, headers, body)]

    def close(self):
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path, headers):
        """Note a request and return the next answer."""
        with self._lock:
            self.requests.append((path, headers.get('X-Lb-Status-Key')))
            self._turn += 1
            return self.answers[self._turn % len(self.answers)]
