"""Ports for the servers of tests: free by UDP and TCP, and given to one test process only."""
import random
import socket

PORTS = range(10000, 32768)     # below those that Linux gives to clients, which come and go
TRIES = 100
_claims = []                    # of the ports given out; they end with this process


def free_port(ip='127.0.0.1'):
    """Return a port of an address of this host that no server has and no other test process claims.

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
    """Return a socket that holds `name` until it is closed, None if a test process holds it.

    A name is an abstract Unix socket's: it exists while a process holds it, and leaves no file.
    Between the choice of a port and the start of its server another test must not choose it too.
    """
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(f'\0swift-lb test {name}')
    except OSError:
        holder.close()
        return None
    return holder


def is_free(ip, port):
    """Return whether a server could bind this port now."""
    family = socket.AF_INET6 if ':' in ip else socket.AF_INET
    with (socket.socket(family, socket.SOCK_STREAM) as stream,
          socket.socket(family, socket.SOCK_DGRAM) as datagrams):
        try:
            stream.bind((ip, port))
            datagrams.bind((ip, port))
        except OSError:
            return False
    return True
