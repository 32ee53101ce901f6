"""The status process: receives the counts of the other processes and serves the document."""
import os

from swift_lb import clock
from swift_lb.concurrency import listen, sleep, spawn, use_precise_hub, wsgi
from swift_lb.errors import NameServerError
from swift_lb.instruction_file import InstructionFile
from swift_lb.service.dns.document import document
from swift_lb.service.dns.exposition import COUNTERS, GAUGES, PREFIX, values
from swift_lb.service.dns.http import Http
from swift_lb.service.dns.news import News
from swift_lb.service.dns.reach import Reach
from swift_lb.service.dns.recent import Recent
from swift_lb.service.dns.tally import DnsTally
from swift_lb.service.prometheus import PrometheusText

LOOK = 1.0          # seconds between two checks for changes to log
MOST = 1 << 20      # bytes of a process' report


class Status:
    """The state of the status process."""

    def __init__(self, options, logger):
        """Take DnsOptions and a logger."""
        self._options, self._logger = options, logger
        self._tally, self._recent = DnsTally(), Recent()
        self._reach = Reach(options.proxies, options.proxy_port)
        self._news = News(options.proxy_port)
        self._file = InstructionFile(options.instruction_file, clock.monotonic)
        self.http = Http(options.http_key, self.document, PrometheusText(
            PREFIX, COUNTERS, GAUGES, lambda: values(self.document())))

    def document(self):
        """Return the document of /v1/dns."""
        return document(self._options, self._tally, self._recent, self._reach,
                        self._file.current(), clock.monotonic())

    def serve(self, hearer, listener, beat):
        """Receive reports and answer HTTP until the process or its parent ends.

        `hearer` is a datagram socket. `beat(now)` is called each second.
        """
        use_precise_hub()
        parent = os.getppid()
        spawn(self._hear_for_ever, hearer)
        spawn(self._reach_for_ever)
        spawn(wsgi.server, listener, self.http, log_output=False, debug=False)
        while os.getppid() == parent:
            beat(clock.monotonic())
            sleep(LOOK)
            self.look(clock.monotonic())

    def hear(self, datagram):
        """Process the report of a process."""
        self._tally.hear(datagram, clock.monotonic())

    def look(self, now):
        """Log what has changed."""
        self._recent.note(self._tally.totals(), now)
        for bad, sentence in self._news.of(self.document(), now):
            (self._logger.warning if bad else self._logger.info)('swift-lb-dns: %s', sentence)

    def _hear_for_ever(self, hearer):
        while True:
            self.hear(hearer.recv(MOST))    # at once: the kernel queues only ten of them

    def _reach_for_ever(self):
        while True:
            sleep(self._reach.look())


def listening(options):
    """Return the listening HTTP socket of DnsOptions; raises NameServerError."""
    ip, port = options.http_ip, options.http_port
    try:
        # Without SO_REUSEPORT, eventlet's default, by which two servers would share a port.
        return listen((ip, port), family=10 if ':' in ip else 2, reuse_port=False)
    except OSError as err:
        raise NameServerError(f'http_ip = {ip}, http_port = {port}: '
                              f'{err.strerror or err}') from None
