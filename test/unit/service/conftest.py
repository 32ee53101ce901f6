"""Fixtures: the conf file of the agent and the DNS service, and an HTTP server that they ask."""
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support.free_port import held_port


@pytest.fixture
def conf(tmp_path):
    """Return a function that writes a conf file of a text or bytes, and returns its path (str)."""
    def write(text):
        path = tmp_path / 'lb-server.conf'
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)
    return write


class Handler(BaseHTTPRequestHandler):
    """Answers each GET with its server's `response`, (status, body in bytes)."""

    def do_GET(self):
        """Append (path, X-Lb-Key header or None) to the server's `requests`, and answer."""
        self.server.requests.append((self.path, self.headers.get('X-Lb-Key')))
        status, body = self.server.response
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Log nothing."""


@pytest.fixture
def server():
    """Yield an HTTP server; a test sets its `response`; `requests` are (path, X-Lb-Key header)."""
    with held_port() as holder:     # a closed server's port goes to no other test
        server = HTTPServer(holder.getsockname(), Handler)
        server.requests, server.response = [], (200, b'')
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
        server.server_close()
