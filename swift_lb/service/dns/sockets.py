"""The sockets of the DNS service, bound once, as root if necessary, and inherited by its processes.

Each UDP process has its own socket on each address (SO_REUSEPORT): the kernel distributes clients
over them. For a wildcard address one socket is bound on each address of this host, because an
answer must come from the address that was queried (as in BIND).
"""
import errno
import ipaddress
import socket

import psutil

from swift_lb.concurrency import plain_socket
from swift_lb.errors import NameServerError
from swift_lb.service.kernel import enlarge_receive_buffer

BUFFER = 4 << 20        # bytes of datagrams that can wait, e.g. during a garbage collection
BACKLOG = 1024
WILDCARDS = {'0.0.0.0': 4, '::': 6}


def addresses(bind_ip):
    """Return [(ip to bind, whether `bind_ip` names it)]; a wildcard becomes all own addresses."""
    named = {}
    for ip in bind_ip:
        if ip in WILDCARDS:
            named |= {own: own in named for own in own_addresses(WILDCARDS[ip])}
        else:
            named[ip] = True
    return list(named.items())


def own_addresses(version):
    """Return this host's IP addresses of `version` 4 or 6, without link-local ones."""
    texts = [address.address for interface in psutil.net_if_addrs().values()
             for address in interface if address.family in (socket.AF_INET, socket.AF_INET6)]
    parsed = [ipaddress.ip_address(text.partition('%')[0]) for text in texts]
    return [str(one) for one in parsed if one.version == version and not one.is_link_local]


def bound(options, say):
    """Return ([each worker's list of UDP sockets], [TCP listeners]); raises NameServerError.

    `say(sentence)` reports an address of a wildcard that cannot be bound: other servers often use
    loopback addresses and those of virtual bridges.
    """
    datagrams, listeners = [[] for _worker in range(options.workers)], []
    for ip, named in addresses(options.bind_ip):
        try:
            made = [udp(ip, options.bind_port) for _worker in range(options.workers)]
            listeners.append(tcp(ip, options.bind_port))
        except OSError as err:
            fault = refusal(ip, options.bind_port, err)
            if named or err.errno == errno.EACCES:
                raise NameServerError(fault) from None
            say(f'{fault}; it is left out')
            continue
        for own, one in zip(datagrams, made, strict=True):
            own.append(one)
    if not listeners:
        raise NameServerError(f'bind_ip = {", ".join(options.bind_ip)}: there is no address here '
                           f'where port {options.bind_port} is free')
    return datagrams, listeners


def refusal(ip, port, err):
    """Return a sentence that says why binding to (`ip`, `port`) failed with the OSError `err`."""
    why = {errno.EADDRINUSE: 'another program has the port (ss -lnp shows it); stop it, or '
                             'list the addresses to serve in bind_ip',
           errno.EADDRNOTAVAIL: 'this host has no such address',
           errno.EACCES: 'only root may use a port below 1024; start as root, and set user'}
    return f'bind_ip = {ip}, bind_port = {port}: {why.get(err.errno, err.strerror)}'


def udp(ip, port):
    """Return a non-blocking UDP socket bound to (`ip`, `port`); raises OSError."""
    made = plain_socket(family_of(ip), socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    enlarge_receive_buffer(made, BUFFER)
    made.setblocking(False)
    return at(made, ip, port)


def tcp(ip, port):
    """Return a TCP socket that listens at (`ip`, `port`); raises OSError."""
    made = socket.socket(family_of(ip), socket.SOCK_STREAM)     # green: Swift has patched it
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    at(made, ip, port).listen(BACKLOG)
    return made


def family_of(ip):
    """Return the socket family of an IP address: AF_INET or AF_INET6."""
    return socket.AF_INET6 if ':' in ip else socket.AF_INET


def at(made, ip, port):
    """Bind the socket `made` to (`ip`, `port`) and return it; if that fails, close it and raise."""
    try:
        made.bind((ip, port))
    except OSError:
        made.close()
        raise
    return made
