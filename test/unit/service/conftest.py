"""The conf file of both daemons, and an HTTP server that they ask."""
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support.free_port import held_port


@pytest.fixture
def conf(tmp_path):
    """Write a conf file and return its path."""
    def write(text):
        path = tmp_path / 'lb-server.conf'
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)
    return write


class Handler(BaseHTTPRequestHandler):
    """Answers with the status and body that its server has in `response`."""

    def do_GET(self):
        """Answer one request."""
        self.server.requests.append((self.path, self.headers.get('X-Lb-Key')))
        status, body = self.server.response
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Log nothing."""


@pytest.fixture
def server():
    """An HTTP server with a `response`, which keeps its `requests`: (path, key)."""
    with held_port() as holder:     # a closed server's port goes to no other test
        server = HTTPServer(holder.getsockname(), Handler)
        server.requests, server.response = [], (200, b'')
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
        server.server_close()
