"""Status pages, as dicts like those of proxy/status.py, and a stub that serves them."""
import json
import threading

# Bound here: eventlet, imported later, leaves its green copy as the attribute http.server.
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.free_port import held_port


def facts(**more):
    """Return the facts of a device without any read; `more` replaces fields."""
    return {'in_flight': 0, 'oldest_wait': None, 'last_throughput': None, 'last_chunk_age': None,
            'chunks': 0, 'connect_time': None, 'first_byte_time': None, 'first_byte_age': None,
            'successes': 0, 'errors': 0, 'timeouts': 0} | more


def node(number, choices=0, why='unmeasured: tried first', **more):
    """Return the page's entry of device sda of 10.0.0.`number`; `why`: text or {policy: text}."""
    why = why if isinstance(why, dict) else {'default': why}
    return {'node': f'10.0.0.{number}:6200/sda', 'ip': f'10.0.0.{number}', 'port': 6200,
            'device': 'sda', 'choices': choices, 'why': why} | facts(**more)


def policy(name='lb_rlt', enabled=True):
    """Return the page's entry of the replica policy `name`."""
    return {'policy': name, 'enabled': enabled, 'chunk_clock': 'request', 'max_age': 300.0,
            'unmeasured': 'first', 'account_container': False}


def book(number=1, workers=2):
    """Return the page's entry of the book `number`, which so many workers share."""
    return {'id': f'boot-{number}', 'path': f'/dev/shm/{number}.book', 'slot': 0, 'devices': 1,
            'room': 16384, 'workers': [
                {'slot': slot, 'pid': 100 + slot, 'in_flight': 0} for slot in range(workers)]}


def page(*nodes, pid=100, worker=0, policies=None, book=None, **more):
    """Return a worker's status page; `nodes` are node()s; None for `book`: a book of its own."""
    return {'format': 2, 'pid': pid, 'worker': worker, 'book': book,
            'policies': policies or {'default': policy()},
            'nodes': list(nodes), 'last_orders': {}} | more


def order(*places, path='/AUTH_test/photos/cat', storage_policy=0, partition=33):
    """Return the page's `object`, an order of (number, why, error_limited, facts of the device)."""
    return {'path': path, 'storage_policy': storage_policy, 'partition': partition,
            'order': [facts(**known) | {'node': f'10.0.0.{number}:6200/sda',
                                        'error_limited': limited, 'why': why}
                      for number, why, limited, known in places]}


class Handler(BaseHTTPRequestHandler):
    """Sends the answers of its server's StubProxy."""

    def do_GET(self):
        """Send the next answer of the StubProxy."""
        status, headers, body = self.server.proxy.answer(self.path, self.headers)
        self.send_response(status)
        for name, value in (headers | {'Content-Length': str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Say nothing."""


class StubProxy:
    """An HTTP server that sends its `answers`, (status, headers, body) each, in turn."""

    def __init__(self):
        self.answers, self.requests, self._turn = [], [], 0
        self._lock = threading.Lock()
        self._holder = held_port()      # after close(), connections are refused
        self._server = ThreadingHTTPServer(self._holder.getsockname(), Handler)
        self._server.proxy = self
        self.url = f'http://127.0.0.1:{self._server.server_port}'
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def says(self, *pages):
        """Answer with these pages, dicts, as JSON, in turn, from now on."""
        self.answers = [(200, {}, json.dumps(one).encode()) for one in pages]

    def refuses(self, status, body=b'', **headers):
        """Answer `status` to every request from now on."""
        self.answers = [(status, headers, body)]

    def close(self):
        """Stop the server; from now on its port refuses connections."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path, headers):
        """Note a request in `requests` as (path, status key); return the next of `answers`."""
        with self._lock:
            self.requests.append((path, headers.get('X-Lb-Status-Key')))
            self._turn += 1
            return self.answers[self._turn % len(self.answers)]
