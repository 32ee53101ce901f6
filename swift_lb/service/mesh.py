"""The UDP socket over which agents tell each other, and the names of the peers."""
import itertools
import socket

from swift_lb.concurrency import plain_socket
from swift_lb.errors import AgentError
from swift_lb.service.receive_buffer import enlarge
from swift_lb.wire.node_report import MOST

BUFFER = 8 << 20        # bytes of what has come and is not read yet: 0.25 s of a flood
AT_ONCE = 5000          # datagrams, before anything else has its turn
TRAFFIC = ('datagrams_sent', 'bytes_sent', 'datagrams_received', 'bytes_received', 'unsent')
MAPPED = '::ffff:'      # IPv4 in an IPv6 socket


class Mesh:
    """The socket; it never blocks."""

    def __init__(self, ip, port):
        """Bind it; raises AgentError."""
        self._six = ':' in ip
        family = socket.AF_INET6 if self._six else socket.AF_INET
        self._resolved = {}     # (host, port) -> [(ip, port), ...]
        self.traffic = dict.fromkeys(TRAFFIC, 0)
        self.socket = plain_socket(family, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            if self._six:
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            enlarge(self.socket, BUFFER)
            self.socket.bind((ip, port))
            self.socket.setblocking(False)
        except OSError as err:
            self.socket.close()
            raise AgentError(f'bind_ip = {ip}, bind_port = {port}: {err.strerror or err}') from None

    def receive(self):
        """Yield (datagram, (ip, port)) of what has come, AT_ONCE at most."""
        for _number in range(AT_ONCE):
            try:
                datagram, address = self.socket.recvfrom(MOST + 1)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:     # such as an ICMP error that an earlier send has brought
                continue
            self.traffic['datagrams_received'] += 1
            self.traffic['bytes_received'] += len(datagram)
            yield datagram, (address[0].removeprefix(MAPPED), address[1])

    def send(self, datagram, addresses):
        """Send `datagram` to each of `addresses`, (ip, port); count those that could not be."""
        unsent = 0
        for ip, port in addresses:
            try:
                self.socket.sendto(datagram, (self._written(ip), port))
            except OSError:
                unsent += 1
        sent = len(addresses) - unsent
        self.traffic['unsent'] += unsent
        self.traffic['datagrams_sent'] += sent
        self.traffic['bytes_sent'] += sent * len(datagram)

    def _written(self, ip):
        return MAPPED + ip if self._six and ':' not in ip else ip

    def resolve(self, peers):
        """Return ([(ip, port), ...] of all `peers`, sentences about those that have none).

        Looks names up, which takes its time.
        """
        known, self._resolved, faults = self._resolved, {}, []
        family = socket.AF_UNSPEC if self._six else socket.AF_INET
        for host, port in peers:
            try:
                self._resolved[host, port] = [
                    (address[0].removeprefix(MAPPED), port) for *_rest, address
                    in socket.getaddrinfo(host, port, family, socket.SOCK_DGRAM)]
            except (OSError, UnicodeError) as err:      # the latter of what is no name at all
                faults.append(f'peers, {host}: {getattr(err, "strerror", None) or err}')
                self._resolved[host, port] = known.get((host, port), [])    # where it was
        return list(dict.fromkeys(itertools.chain(*self._resolved.values()))), faults
