"""HAProxy as Debian ships it, in front of servers: the balancer that others are compared to."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from support.free_port import free_port
from swift_lb.clock import monotonic, sleep

# tools/environment.sh unpacks it beside Python; Debian has it where few people have their PATH.
PLACES = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get('PATH', os.defpath),
                          '/usr/sbin'])
MISSING = ('no haproxy on the PATH: apt-get install haproxy, or unpack it into .venv: '
           "VENV=.venv bash -c '. tools/environment.sh; haproxy_here'")
LONGEST = 10.0      # seconds until it answers, and until it has ended
# One thread, as there are few cores here and all of them share them. Connections are kept to both
# sides, and any client's request goes over any idle connection to a server.
CONF = '''\
global
    maxconn 8000
    nbthread 1
defaults
    mode http
    option http-keep-alive
    http-reuse always
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend clients
    bind {ip}:{port}
    default_backend proxies
backend proxies
    balance {balance}
'''


def path_of():
    """Return the path of HAProxy, None where there is none."""
    return shutil.which('haproxy', path=PLACES)


class HaProxy:
    """One in front of `servers`, (ip, port), while the context lasts; `balance`: its algorithm."""

    def __init__(self, balance, servers, ip='127.0.0.1'):
        self.ip, self.port = ip, free_port(ip)
        self._conf = CONF.format(ip=ip, port=self.port, balance=balance) + ''.join(
            f'    server proxy-{number} {address}:{port}\n'
            for number, (address, port) in enumerate(servers, 1))

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix='swift-lb-haproxy-')
        folder = pathlib.Path(self._folder.name)
        (folder / 'conf').write_text(self._conf)
        with open(folder / 'log', 'wb') as log:
            self._process = subprocess.Popen(
                [path_of(), '-db', '-f', folder / 'conf'], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
        try:
            self._wait(folder / 'log')
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait(self, log):
        deadline = monotonic() + LONGEST
        while True:
            try:
                return socket.create_connection((self.ip, self.port), 1).close()
            except OSError:
                assert self._process.poll() is None, f'haproxy has ended: {log.read_text()}'
                assert monotonic() < deadline, f'haproxy does not answer: {log.read_text()}'
            sleep(0.02)

    def __exit__(self, *_exc):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
