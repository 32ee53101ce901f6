"""Whether this node's proxy answers: a node without one does nothing, and looks its lightest."""
import socket

TIMEOUT = 2.0       # seconds for an answer
FAILURES = 2        # in a row, after which the proxy is not in service
REQUEST = b'GET /healthcheck HTTP/1.0\r\nHost: localhost\r\n\r\n'
DISABLED = b' 503 '


class ProxyCheck:
    """Ask Swift's healthcheck; any answer but 503 will do, as the filter may not be there."""

    def __init__(self, address):
        """`address` is (ip, port), or None: then there is nothing to be asked."""
        self.address = address
        self._failures, self._said = 0, None

    @property
    def fault(self):
        """What is wrong, in a sentence; None while nothing is."""
        return self._said if self._failures >= FAILURES else None

    def look(self):
        """Ask once; waits for the answer."""
        if self.address is None:
            self._failures, self._said = 0, None
            return
        self._said = self._ask()
        self._failures = 0 if self._said is None else self._failures + 1

    def _ask(self):
        where = f'the proxy at {self.address[0]}, port {self.address[1]}'
        try:
            with socket.create_connection(self.address, TIMEOUT) as asked:
                asked.sendall(REQUEST)
                first = asked.recv(64)
        except (OSError, ValueError, OverflowError) as err:     # the latter of no address at all
            return f'{where} does not answer: {getattr(err, "strerror", None) or err}'
        if not first.startswith(b'HTTP/'):
            return f'{where} does not answer as HTTP servers do'
        return f'{where} answers 503' if DISABLED in first[:16] else None


def address_of(options, facts):
    """Return (ip, port) of the proxy to be asked by AgentOptions and its conf's facts, or None."""
    if not options.check or facts['cert_file']:     # we do not speak TLS
        return None
    if facts['bind_port'] and facts['bind_port'].isdecimal():
        ip = facts['bind_ip'] or ''
        return {'': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1'}.get(ip, ip), int(
            facts['bind_port'])
    ip, _colon, port = options.proxy.rpartition(':')
    return (ip.strip('[]'), int(port)) if ip else None
