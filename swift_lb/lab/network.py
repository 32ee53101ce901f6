"""The servers of a lab: their kinds, their ports, their addresses in a /24 network of loopback."""
import errno
import os
import socket
from typing import NamedTuple

from swift_lb.errors import LabError

OBJECT_PORT, CONTAINER_PORT, ACCOUNT_PORT, MEMCACHED_PORT = 6200, 6201, 6202, 11211
REPORT_PORT, AGENT_PORT = 6208, 6209    # of agents: UDP, and HTTP
DNS_PORT, DNS_HTTP_PORT = 5300, 6210    # of DNS: port 53 needs root
LOG_PORT = 5140      # and up, UDP


class Server(NamedTuple):
    """One server of a lab: its name, its kind, and the address and port on which it listens."""

    name: str
    kind: str       # proxy, account, container, object, agent, dns or memcached
    ip: str
    port: int
    log_port: int | None = None     # UDP port of the log sink, on log_ip()


def node_ip(network, node):
    """Return the IP of storage node `node`, from 1; `network` is three octets such as 127.64.0."""
    return f'{network}.{10 + node}'


def agent_ip(network, proxy):
    """Return the IP of the agent of proxy number `proxy` (from 1) in `network`."""
    return f'{network}.{100 + proxy}'


def log_ip(network):
    """Return the IP on which the log sink of the lab on `network` listens."""
    return f'{network}.3'


def servers(spec, network, memcached):
    """Return a list of all Servers of a lab on `network`; memcached is one only if `memcached`."""
    listed = [Server('account', 'account', f'{network}.2', ACCOUNT_PORT),
             Server('container', 'container', f'{network}.2', CONTAINER_PORT)]
    listed += [Server(f'object-{node}', 'object', node_ip(network, node), OBJECT_PORT)
              for node in range(1, spec.nodes + 1)]
    proxies = range(1, spec.proxies + 1)
    # With DNS each proxy has an ip of its own, since answers of DNS hold no ports.
    listed += [Server(f'proxy-{number}', 'proxy', f'{network}.{200 + number}', spec.port)
               if spec.dns else
               Server(f'proxy-{number}', 'proxy', f'{network}.1', spec.port + number - 1)
               for number in proxies]
    listed += [Server(f'agent-{number}', 'agent', agent_ip(network, number), AGENT_PORT)
              for number in proxies if spec.agents or spec.dns]
    listed += [Server(f'dns-{number}', 'dns', agent_ip(network, number), DNS_HTTP_PORT)
              for number in proxies if spec.dns]
    listed = [server._replace(log_port=LOG_PORT + number) for number, server in enumerate(listed)]
    if memcached:
        listed.append(Server('memcached', 'memcached', f'{network}.2', MEMCACHED_PORT))
    return listed


def choose(spec, claimed):
    """Return a network that is free for the lab `spec`, with every port that the lab needs.

    A network is text such as 127.64.0; `claimed` are the networks of other labs. Raises LabError
    that says which port is taken. The caller must hold place.locked().
    """
    busy = None
    for third in range(256):
        network = f'127.{64 + os.getuid() % 64}.{third}'    # another user tries others
        if network in claimed:
            continue
        busy = next((server for server in servers(spec, network, memcached=True)
                     if not _free(server.ip, server.port)), None)
        if not busy:
            return network
        if not _free('127.127.255.254', busy.port):
            raise LabError(f'port {busy.port}, which the {busy.kind} server needs, is taken on '
                           'every loopback address; stop what listens there'
                           + (', or choose another with --port' if busy.kind == 'proxy' else ''))
    raise LabError('no loopback network is left for this lab'
                   + (f'; on the last tried, {busy.ip}:{busy.port} is taken' if busy else ''))


def _free(ip, port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ip, port))
        except OSError as err:
            if err.errno == errno.EADDRINUSE:
                return False
            raise LabError(f'cannot listen on {ip}:{port}: {err.strerror}') from None
    return True


class Kind(NamedTuple):
    """How a kind of server, storage nodes or proxies, is called in server names and in messages."""

    server: str     # the prefix of its servers' names
    one: str        # the word for one of them, also in a change: node=1
    many: str


NODE = Kind('object', 'node', 'nodes')
PROXY = Kind('proxy', 'proxy', 'proxies')
V1 = 'v1'       # stands for a device of a proxy: its requests to /v1/
