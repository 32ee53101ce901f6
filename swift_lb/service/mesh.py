"""How agents exchange reports: UDP (push) or HTTP (pull); and the look-up of peers' names."""
import itertools
import socket
from http.client import HTTPConnection, HTTPException

from swift_lb.concurrency import plain_socket
from swift_lb.errors import AgentError
from swift_lb.service.kernel import enlarge_receive_buffer
from swift_lb.wire.node_report import MAX_DATAGRAM

RECEIVE_BUFFER = 8 << 20    # bytes; what a flood sends in 0.25 s
MAX_RECEIVED = 5000         # datagrams of one receive(), so that other work is not delayed
TRAFFIC = ('datagrams_sent', 'bytes_sent', 'datagrams_received', 'bytes_received', 'unsent')
MAPPED = '::ffff:'          # prefix of an IPv4 address in an IPv6 socket


class Mesh:
    """The UDP socket of an agent, which never blocks; `traffic` is {name in TRAFFIC: count}."""

    def __init__(self, ip, port):
        """Bind the UDP socket to `ip` and `port`; raises AgentError if that fails."""
        self._six = ':' in ip
        family = socket.AF_INET6 if self._six else socket.AF_INET
        self._resolved = {}     # (host, port) -> [(ip, port), ...]
        self.traffic = dict.fromkeys(TRAFFIC, 0)
        self.socket = plain_socket(family, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            if self._six:
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            enlarge_receive_buffer(self.socket, RECEIVE_BUFFER)
            self.socket.bind((ip, port))
            self.socket.setblocking(False)
        except OSError as err:
            self.socket.close()
            raise AgentError(f'bind_ip = {ip}, bind_port = {port}: {err.strerror or err}') from None

    def receive(self):
        """Yield (datagram, (ip, port) of its sender) of at most MAX_RECEIVED waiting datagrams."""
        for _number in range(MAX_RECEIVED):
            try:
                datagram, address = self.socket.recvfrom(MAX_DATAGRAM + 1)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:     # such as an ICMP error in answer to an earlier send
                continue
            self.traffic['datagrams_received'] += 1
            self.traffic['bytes_received'] += len(datagram)
            yield datagram, (address[0].removeprefix(MAPPED), address[1])

    def send(self, datagram, addresses):
        """Send `datagram` to each (ip, port) of `addresses`; failures are counted, not raised."""
        unsent = 0
        for ip, port in addresses:
            try:
                self.socket.sendto(datagram, (self._in_family(ip), port))
            except OSError:
                unsent += 1
        sent = len(addresses) - unsent
        self.traffic['unsent'] += unsent
        self.traffic['datagrams_sent'] += sent
        self.traffic['bytes_sent'] += sent * len(datagram)

    def _in_family(self, ip):
        return MAPPED + ip if self._six and ':' not in ip else ip

    def addresses_of(self, peer):
        """Return [(ip, port), ...] of `peer`, a (host, port), as resolve() has last found them."""
        return self._resolved.get(peer, [])

    def resolve(self, peers):
        """Return ([(ip, port), ...] of all `peers`, [a sentence for each name not found, ...]).

        A name that is no longer found keeps its last addresses. Blocks while names are looked up.
        """
        known, self._resolved, faults = self._resolved, {}, []
        family = socket.AF_UNSPEC if self._six else socket.AF_INET
        for host, port in peers:
            try:
                self._resolved[host, port] = [
                    (address[0].removeprefix(MAPPED), port) for *_rest, address
                    in socket.getaddrinfo(host, port, family, socket.SOCK_DGRAM)]
            except (OSError, UnicodeError) as err:      # the latter if it is no host name
                faults.append(f'peers, {host}: {getattr(err, "strerror", None) or err}')
                self._resolved[host, port] = known.get((host, port), [])
        return list(dict.fromkeys(itertools.chain(*self._resolved.values()))), faults


def fetch_report(ip, port, key, timeout):
    """Return the signed report of the agent whose HTTP is at (ip, port), or None if that fails."""
    connection = HTTPConnection(ip, port, timeout=timeout)
    try:
        connection.request('GET', '/v1/report', headers={'X-Lb-Key': key.encode()} if key else {})
        answer = connection.getresponse()
        datagram = answer.read(MAX_DATAGRAM + 1)
        return datagram if answer.status == 200 else None
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()
