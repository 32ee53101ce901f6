"""A stand-in for the HTTP server of an agent; it serves documents that a test makes.

`node`, `cluster`, `history` and `name_server` make documents as swift_lb/service/ does; AgentStub
serves them, and the page, on a real socket.
"""
import json
import threading
import time

# Bound here: eventlet, imported elsewhere, leaves its green copy as the attribute http.server.
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import swift_lb
from swift_lb.service.part_rates import together

PAGE = Path(swift_lb.__file__).parent / 'service' / 'page' / 'cluster.html'
STEP, WINDOW = 5.0, 900.0   # seconds between two points of the history, and how far it goes back
METRICS = {'cpu': 0.31, 'memory': 0.52, 'network': 0.012, 'disk': 0.2, 'in_flight': 3.0,
           'requests': 41.0, 'response_time': 0.012}


def node(number, **more):
    """Return the entry of node `p<number>` in /v1/cluster: up, load 0.32; `more` replaces fields.
    """
    return {'node': f'p{number}', 'address': f'10.0.0.{number}:6208',
            'proxy': f'10.0.0.{number}:8080', 'state': 'up', 'age': 0.4, 'load': 0.32,
            'weight': 1.0, 'dns': 0.25, 'keep': 1.0, 'take': 0.0, 'reason': 'load 32%',
            'metrics': dict(METRICS), 'flows': {}, 'clock_skew': 0.01, 'agrees': True} | more


def gone(number, **more):
    """Return the entry of node `p<number>` in state `gone`, never heard; `more` replaces fields."""
    return node(number, **{'state': 'gone', 'age': None, 'load': None, 'weight': 0.0, 'dns': 0.0,
                           'metrics': {}, 'clock_skew': None, 'agrees': None,
                           'reason': 'never heard'} | more)


def cluster(*nodes, **more):
    """Return the document of /v1/cluster with the entries `nodes`; `more` replaces fields."""
    return {'format': 1, 'node': 'p1', 'now': 5000.0, 'interval': 1.0, 'rules': 'balanced',
            'metric': 'auto', 'generation': 12, 'expires_in': 4.2, 'panic': False, 'faults': [],
            'nodes': list(nodes), 'images': together([one['metrics'] for one in nodes])} | more


def other_cluster(name, **more):
    """Return the entry of cluster `name` in /v1/clusters, 80 ms away; `more` replaces fields."""
    return {'cluster': name, 'state': 'up', 'age': 0.7, 'nodes': 3, 'load': 0.32,
            'least_load': 0.25, 'url': f'https://{name}.example', 'relays': ['10.1.0.1:8080'],
            'rtt': 0.08, 'rtt_error': 0.002, 'lost': 0.01, 'bandwidth': 2.4e6,
            'bandwidth_error': 1.5e5, 'region': 0, 'credit': 40.0, 'granted': 12.0,
            'times': {'small': 0.012}, 'fetched': 7.25, 'redirected': 0.5, 'predicted': 0.41,
            'measured': 0.39, 'image': None} | more


def clusters(*others, **more):
    """Return the document of /v1/clusters with the entries `others`; `more` replaces fields."""
    return {'format': 1, 'node': 'p1', 'here': 'us.ksu', 'cut_off': False,
            'clusters': list(others), 'accepted': 7, 'refused': {}} | more


def history(document, now, since):
    """Return the document of /v1/history after `since`, as if `document` had never changed."""
    first = int((now - WINDOW) // STEP) + 1
    instants = [instant * STEP for instant in range(first, int(now // STEP) + 1)
                if instant * STEP > since]
    return {'format': 1, 'now': now, 'step': STEP, 'since': since, 'nodes': {
        one['node']: [[instant, *(one[name] for name in ('load', 'dns', 'keep', 'take', 'age'))]
                      for instant in instants] for one in document['nodes']}}


def proxy(number, **more):
    """Return the entry of proxy `p<number>` in an address family; `more` replaces fields."""
    return {'node': f'p{number}', 'address': f'10.0.0.{number}', 'state': 'up', 'left_out': None,
            'target': 0.5, 'chance': 1.0, 'given': 1000, 'expected': 1000.0, 'given_share': 0.5,
            'expected_share': 0.5, 'reachable': True, 'unreachable': None} | more


def family(*proxies, **more):
    """Return the address family A of the DNS service's /v1/dns; `more` replaces fields."""
    return {'family': 'A', 'mode': 'membership', 'size': 2, 'panic': False,
            'proxies': list(proxies)} | more


def name_server(*families, **more):
    """Return the document of the DNS service's own /v1/dns; `more` replaces fields."""
    return {'format': 1, 'node': 'p1', 'zone': 'lb.example.com', 'names': ['lb.example.com'],
            'ns': {'ns1.lb.example.com': ['10.0.0.1']}, 'mode': 'membership', 'ttl': 60,
            'usual_ttl': 60, 'suspects': [], 'serial': 12, 'without_instruction': None,
            'window': 300.0, 'resolvers': 40, 'processes': [], 'queries': [['A', 'answer', 1000]],
            'families': list(families)} | more


NO_NAME_SERVER = {'format': 1, 'configured': False, 'fault': None, 'dns': None}


class Handler(BaseHTTPRequestHandler):
    """Answers HTTP requests with what answer() of the server's AgentStub returns."""

    def do_GET(self):
        answer = self.server.stub.answer(self.path, self.headers.get('X-Lb-Key'))
        if answer is None:
            return      # and close the connection
        status, kind, body = answer
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Log nothing."""


class AgentStub:
    """Serves its documents `document`, `clusters` and `dns` at `url` while the context lasts."""

    def __init__(self, document=None):
        self.document = document or cluster()
        self.dns, self.clusters = NO_NAME_SERVER, clusters()
        self.key = None         # that clients must send
        self.silent = False     # True: close connections without an answer
        self.requests = []      # (path with query, key)

    def __enter__(self):
        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._server.stub = self
        self.url = f'http://127.0.0.1:{self._server.server_port}'
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_exc):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path, key):
        """Return (status, content type, body) for a request, or None to close the connection."""
        self.requests.append((path, key))
        parts, now = urlsplit(path), WINDOW + time.monotonic()  # the host may have just booted
        if self.silent:
            return None
        if parts.path == '/':
            return 200, 'text/html; charset=utf-8', PAGE.read_bytes()
        if self.key not in (None, key):
            return _json(401, {'error': 'the key is another'})
        if parts.path == '/v1/cluster':
            return _json(200, self.document | {'now': now})
        if parts.path == '/v1/history':
            since = float(parse_qs(parts.query).get('since', ['0'])[0])
            return _json(200, history(self.document, now, since))
        if parts.path == '/v1/clusters':
            return _json(200, self.clusters)
        if parts.path == '/v1/dns':
            return _json(200, self.dns)
        return _json(404, {'error': 'there is no such thing'})


def _json(status, document):
    return status, 'application/json', json.dumps(document).encode()
