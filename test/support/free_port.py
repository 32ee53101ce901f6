"""Ports for servers of tests: free for UDP and TCP, and given to one test process only."""
import random
import socket

PORTS = range(10000, 32768)     # below those that Linux gives to clients, which come and go
TRIES = 100
_claims = []                    # of the ports given out; they end with this process


def free_port(ip='127.0.0.1'):
    """Return a port of `ip` that no server listens on, and which no other test process has claimed.

    Raises AssertionError if none of TRIES random ports is free.
    """
    for port in random.SystemRandom().sample(PORTS, TRIES):
        if is_free(ip, port) and (held := claim(f'port {port}')):
            _claims.append(held)
            return port
    raise AssertionError(f'{ip} has no free port')


def held_port(ip='127.0.0.1'):
    """Return a socket that holds a free TCP port of `ip`: it is bound, and does not listen.

    A server of the same process may listen on the port. While none does, connections are refused,
    since no other process gets the port until this socket is closed.
    """
    holder = socket.socket(socket.AF_INET6 if ':' in ip else socket.AF_INET)
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind((ip, 0))
    return holder


def claim(name):
    """Return a socket that reserves `name` until it is closed, None if `name` is reserved already.

    It is an abstract Unix socket: the name ends with its process, and leaves no file. Between the
    choice of a port and the start of its server no other test process must choose the port.
    """
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(f'\0swift-lb test {name}')
    except OSError:
        holder.close()
        return None
    return holder


def is_free(ip, port):
    """Return whether a server could bind this port of `ip` now, for TCP and for UDP."""
    family = socket.AF_INET6 if ':' in ip else socket.AF_INET
    with (socket.socket(family, socket.SOCK_STREAM) as stream,
          socket.socket(family, socket.SOCK_DGRAM) as datagrams):
        try:
            stream.bind((ip, port))
            datagrams.bind((ip, port))
        except OSError:
            return False
    return True
