"""The servers of a lab: their kinds, their ports, their addresses in a /24 network.

The network is one of loopback, or that of a site; each region of a lab has one.
"""
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
    """One server of a lab: its name, its kind, and the address and port on which it listens.

    container-sync does not listen: it has the address of the container server beside it. A decoder
    of images listens on a unix socket: its port is 0.
    """

    name: str
    kind: str       # proxy, account, container, sync, object, agent, dns, image or memcached
    ip: str
    port: int
    region: int = 1
    log_port: int | None = None     # UDP port of the log sink, on log_ip()


def node_ip(network, node):
    """Return the IP of a region's storage node `node`; `network` is three octets, as 127.64.0."""
    return f'{network}.{10 + node}'


def agent_ip(network, proxy):
    """Return the IP of the agent of a region's proxy number `proxy` (from 1) in `network`."""
    return f'{network}.{100 + proxy}'


def log_ip(network):
    """Return the IP on which the log sink of the lab on `network` listens."""
    return f'{network}.3'


def proxy_address(spec, network, proxy):
    """Return (ip, port) of proxy number `proxy` (from 1) of a lab like `spec` in `network`."""
    # With DNS each proxy has an ip of its own, since answers of DNS hold no ports.
    return (f'{network}.{200 + proxy}', spec.port) if spec.dns else (
        f'{network}.1', spec.port + proxy - 1)


def servers(spec, networks, memcached):
    """Return a list of all Servers of a lab, whose regions are on `networks`, in that order.

    Each region has memcached only if `memcached`.
    """
    listed = [server._replace(region=region) for region, network in enumerate(networks, 1)
              for server in _of_region(spec, region, network)]
    listed = [server._replace(log_port=LOG_PORT + number) for number, server in enumerate(listed)]
    if memcached:
        listed += [Server(f'memcached{spec.suffix(region)}', 'memcached', f'{network}.2',
                          MEMCACHED_PORT, region) for region, network in enumerate(networks, 1)]
    return listed


def _of_region(spec, region, network):
    """Yield the Servers of `region` (from 1) on `network`; numbers go on from region to region."""
    suffix = spec.suffix(region)
    yield Server(f'account{suffix}', 'account', f'{network}.2', ACCOUNT_PORT)
    yield Server(f'container{suffix}', 'container', f'{network}.2', CONTAINER_PORT)
    if spec.sync:
        yield Server(f'container-sync{suffix}', 'sync', f'{network}.2', CONTAINER_PORT)
    nodes, proxies = (region - 1) * spec.nodes, (region - 1) * spec.proxies
    for node in range(1, spec.nodes + 1):
        yield Server(f'object-{nodes + node}', 'object', node_ip(network, node), OBJECT_PORT)
    for proxy in range(1, spec.proxies + 1):
        yield Server(f'proxy-{proxies + proxy}', 'proxy', *proxy_address(spec, network, proxy))
        if spec.agents or spec.dns:
            yield Server(f'agent-{proxies + proxy}', 'agent', agent_ip(network, proxy), AGENT_PORT)
        if spec.images:
            yield Server(f'image-{proxies + proxy}', 'image', agent_ip(network, proxy), 0)
        if spec.dns:
            yield Server(f'dns-{proxies + proxy}', 'dns', agent_ip(network, proxy), DNS_HTTP_PORT)


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
        busy = next((server for server in servers(spec, (network,), memcached=True)
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
    """How a kind of server, such as storage nodes, is called in server names and in messages."""

    server: str     # the prefix of its servers' names
    one: str        # the word for one of them, also in a change: node=1
    many: str


NODE = Kind('object', 'node', 'nodes')
PROXY = Kind('proxy', 'proxy', 'proxies')
AGENT = Kind('agent', 'agent', 'agents')
DECODER = Kind('image', 'decoder', 'decoders')
V1 = 'v1'       # stands for a device of a proxy: its requests to /v1/
