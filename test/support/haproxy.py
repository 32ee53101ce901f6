"""Debian's HAProxy in front of servers: tests compare swift-lb with this load balancer."""
import contextlib
import socket

from support.name_server import ServerProgram

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


class HaProxy(ServerProgram):
    """HAProxy in front of `servers`, (ip, port) each; `balance` is its `balance` algorithm."""

    program, conf_file, arguments = 'haproxy', 'conf', ('-db', '-f')

    def __init__(self, balance, servers, **where):
        super().__init__(**where)
        self._balance, self._servers = balance, servers

    def files(self):
        return {'conf': CONF.format(ip=self.ip, port=self.port, balance=self._balance) + ''.join(
            f'    server proxy-{number} {address}:{port}\n'
            for number, (address, port) in enumerate(self._servers, 1))}

    def answers(self):
        with contextlib.suppress(OSError):
            socket.create_connection((self.ip, self.port), 1).close()
            return True
