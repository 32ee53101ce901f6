"""swift-lb-dns started by Swift's swift-init: its pid file, SIGHUP and `reload`."""
import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import dns.exception
import pytest
from support.lb_dns import LbDnsServer, children_of
from support.name_server import wait_until

from swift_lb.version import version

ZONE, NAME = 'lb.example.com', 'swift.lb.example.com'
SHARES = {'192.0.2.1': .5, '192.0.2.2': .5}
# swift-init with the test's folder in place of /etc/swift and /var/run/swift.
SWIFT_INIT = '''
import sys
from swift.common import manager
manager.SWIFT_DIR = sys.argv.pop(1)
for kind in manager.Manager, manager.Server:
    kind.__init__.__defaults__ = (manager.SWIFT_DIR,)
sys.exit(manager.main())
'''


class Managed(LbDnsServer):
    """A DNS service that swift-init starts and stops, and the log lines that it has sent."""

    def __init__(self, folder):
        super().__init__(ZONE, SHARES)
        self.folder, self._lines = folder, []
        for name, text in self.files().items():
            (folder / name).write_text(text)
        self._log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._log.bind(str(folder / 'nowhere'))     # the log_address of its conf
        self._log.setblocking(False)

    def init(self, command):
        """Return the exit status of `swift-init lb-dns COMMAND`, such as start or reload."""
        path = f'{Path(sys.executable).parent}:{os.environ["PATH"]}'
        return subprocess.run(
            [sys.executable, '-W', 'ignore', '-c', SWIFT_INIT, self.folder, 'lb-dns', command,
             '-r', self.folder], env=os.environ | {'PATH': path, 'PYTHONWARNINGS': 'ignore'},
            timeout=60, capture_output=True).returncode

    def hang_up(self):
        """Do what the manual says: kill -HUP $(cat .../lb-dns.pid)."""
        os.kill(self.main_pid(), signal.SIGHUP)

    def main_pid(self):
        return int((self.folder / 'lb-dns.pid').read_text())

    def configure(self, line):
        """Write the service's original conf again, with `line` at its end."""
        (self.folder / 'lb-server.conf').write_text(f'{self.files()["lb-server.conf"]}{line}\n')

    def ttl(self):
        """Return the TTL, in seconds, of the service's answer; None if it does not answer."""
        with contextlib.suppress(OSError, dns.exception.Timeout):
            return self.ask(NAME, timeout=1.0).answer[0].ttl

    def logged(self, text):
        """Return the first line of the service's log that contains `text`; None if none does."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._lines.append(self._log.recv(65536).decode())
        return next((line for line in self._lines if text in line), None)

    def count_logged(self, text):
        """Return the number of lines of the service's log so far that contain `text`."""
        self.logged(text)
        return sum(text in line for line in self._lines)

    def close(self):
        """Stop the service."""
        self.init('stop')
        self._log.close()


@pytest.fixture
def server(tmp_path):
    """A service that swift-init has started, and that answers."""
    with contextlib.closing(Managed(tmp_path)) as made:
        assert made.init('start') == 0
        wait_until(lambda: made.ttl() == 60)
        wait_until(lambda: made.logged('Starting'))
        yield made


def test_sighup_reloads_a_valid_conf_and_keeps_the_old_if_invalid(server):
    old = children_of(server.main_pid())
    server.configure('ttl = never')
    server.hang_up()
    wait_until(lambda: server.logged('not reloaded'))
    assert (f'swift-lb-dns: {server.folder}/lb-server.conf not reloaded: '
            f'{server.folder}/lb-server.conf, [lb-dns], ttl = never: must be') in server.logged(
                'not reloaded')
    assert server.ttl() == 60
    assert children_of(server.main_pid()) == old
    server.configure('ttl = 20')
    server.hang_up()
    wait_until(lambda: server.ttl() == 20)
    assert server.logged('has been read again')
    wait_until(lambda: not set(children_of(server.main_pid(), 'RSDTZ')) & set(old))
    assert 1 == server.count_logged(f'swift-lb-dns {version()}: node node-1, zone {ZONE}, ')


def test_swift_init_reload_restarts_or_with_a_bad_conf_stops_it(server):
    server.configure('ttl = 20')
    assert server.init('reload') == 0
    wait_until(lambda: server.ttl() == 20)
    server.configure('ttl = never')
    assert server.init('reload') != 0
    assert server.ttl() is None
    server.configure('ttl = 30')
    assert server.init('start') == 0
    wait_until(lambda: server.ttl() == 30)
