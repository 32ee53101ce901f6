"""The status process: it receives the counts of the other processes, and serves them over HTTP."""
import os

from webob.dec import wsgify
from webob.exc import HTTPMethodNotAllowed, HTTPNotFound

from swift_lb import clock
from swift_lb.concurrency import sleep, spawn, use_precise_hub, wsgi
from swift_lb.instruction_file import InstructionFile
from swift_lb.service.answering import admit, health, metrics, reply
from swift_lb.service.dns.document import document
from swift_lb.service.dns.exposition import COUNTERS, GAUGES, PREFIX, values
from swift_lb.service.dns.news import News
from swift_lb.service.dns.reach import Reach
from swift_lb.service.dns.tally import DnsTally, Recent
from swift_lb.service.prometheus import PrometheusText

CHECK = 1.0             # seconds between two checks for changes to log
MAX_REPORT = 1 << 20    # bytes of a process' report
PATHS = ('/metrics', '/v1/dns', '/healthz')


class Status:
    """The counts and faults of a DNS service, as its status process knows and logs them."""

    def __init__(self, options, logger):
        """Take DnsOptions, and the daemon's logger, to which faults are logged."""
        self._options, self._logger = options, logger
        self._tally, self._recent = DnsTally(), Recent()
        self._reach = Reach(options.proxies, options.proxy_port)
        self._news = News(options.proxy_port)
        self._file = InstructionFile(options.instruction_file, clock.monotonic)
        self.http = DnsHttp(options.http_key, self.document, PrometheusText(
            PREFIX, COUNTERS, GAUGES, lambda: values(self.document())))

    def document(self):
        """Return the document of /v1/dns, a dict: answers, their reasons, counts, processes."""
        return document(self._options, self._tally, self._recent, self._reach,
                        self._file.current(), clock.monotonic())

    def serve(self, socket, listener, beat):
        """Receive other processes' reports and answer HTTP until this process or its parent ends.

        `socket` receives datagrams, `listener` HTTP connections. `beat(now)`, called each
        second, notes that this process is alive.
        """
        use_precise_hub()
        parent = os.getppid()
        spawn(self._receive_for_ever, socket)
        spawn(self._reach_for_ever)
        spawn(wsgi.server, listener, self.http, log_output=False, debug=False)
        while os.getppid() == parent:
            beat(clock.monotonic())
            sleep(CHECK)
            self.log_changes(clock.monotonic())

    def receive(self, datagram):
        """Take a report of another process of this service: its counts, as a JSON datagram."""
        self._tally.receive(datagram, clock.monotonic())

    def log_changes(self, now):
        """Log each fault that began since the last call as a warning, and each end as info."""
        self._recent.note(self._tally.totals(), now)
        for bad, sentence in self._news.of(self.document(), now):
            (self._logger.warning if bad else self._logger.info)('swift-lb-dns: %s', sentence)

    def _receive_for_ever(self, socket):
        while True:
            self.receive(socket.recv(MAX_REPORT))    # at once: the kernel queues only ten of them

    def _reach_for_ever(self):
        while True:
            sleep(self._reach.try_all())


class DnsHttp:
    """The WSGI application of the status process: /metrics, /v1/dns and /healthz."""

    def __init__(self, key, document, text):
        """Take the clients' key, document(), the dict of /v1/dns, and text(), bytes of /metrics."""
        self._key, self._document, self._text = key, document, text

    @wsgify
    def __call__(self, request):
        """Return the response to a WebOb request; raises HTTPException to refuse it."""
        path = request.environ['PATH_INFO']     # request.path raises if it is not UTF-8
        if path == '/healthz':
            return self._health()
        admit(request, self._key)
        if path not in PATHS:
            raise HTTPNotFound(f'there are {", ".join(PATHS)}')
        if request.method not in ('GET', 'HEAD'):
            raise HTTPMethodNotAllowed('GET it')
        return metrics(self._text()) if path == '/metrics' else reply(self._document())

    def _health(self):
        """Return 200 while all processes of the DNS service report, else 503."""
        processes = self._document()['processes']
        silent = [one['process'] for one in processes if not one['answers']]
        return health(processes and not silent, f'no word from {", ".join(silent)}' if silent
                      else 'ok' if processes else 'no process has reported yet')
