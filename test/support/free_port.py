"""A port that nobody has now, neither by UDP nor by TCP: DNS wants both."""
import random
import socket

PORTS = range(10000, 32768)     # below those that Linux gives to clients, which come and go
TRIES = 100


def free_port(ip='127.0.0.1'):
    """Return such a port of an address of this host; somebody may take it before you do."""
    for port in random.SystemRandom().sample(PORTS, TRIES):
        if is_free(ip, port):
            return port
    raise AssertionError(f'{ip} has no free port')


def is_free(ip, port):
    """Return whether a server could have this port now."""
    family = socket.AF_INET6 if ':' in ip else socket.AF_INET
    with (socket.socket(family, socket.SOCK_STREAM) as stream,
          socket.socket(family, socket.SOCK_DGRAM) as datagrams):
        try:
            stream.bind((ip, port))
            datagrams.bind((ip, port))
        except OSError:
            return False
    return True
