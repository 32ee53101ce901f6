"""The agent's HTTP server: a page, documents for programs and other agents, drain and undrain."""
import json
import math
import pathlib

from webob import Response
from webob.dec import wsgify
from webob.exc import (
    HTTPBadRequest,
    HTTPForbidden,
    HTTPMethodNotAllowed,
    HTTPNotFound,
    HTTPServiceUnavailable,
)

from swift_lb.service import documents
from swift_lb.service.answering import admit, health, metrics, reply

PAGE = pathlib.Path(__file__).parent / 'page' / 'cluster.html'
CHANGE_HEADER = 'X-Lb-Agent'    # a page of another site can not make a browser send it
POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          "connect-src 'self'; img-src data:; frame-ancestors 'none'")


class AgentHttp:
    """The WSGI application of the agent, with its page, /metrics, /healthz and /v1/..."""

    def __init__(self, agent, exposition, drain, clock, dns):
        """Take an Agent, `exposition()`, which returns metrics as Prometheus' text, and a clock.

        `drain(yes)` drains the node (True) or ends that (False); `dns()` returns a dict, the state
        of the host's DNS service.
        """
        self._agent, self._exposition, self._dns = agent, exposition, dns
        self._drain, self._clock = drain, clock

    @wsgify
    def __call__(self, request):
        """Return the response to a WebOb request; raises HTTPException to refuse it."""
        path = request.environ['PATH_INFO']     # request.path fails where it is not UTF-8
        if path == '/healthz':
            return self._health()
        if path == '/' and request.method in ('GET', 'HEAD'):
            return self._page()     # without a key: the page has no data, and asks for the key
        trusted = admit(request, self._agent.options.http_key)
        if path in CHANGING:
            return self._change(request, trusted)
        if path not in PAGES:
            raise HTTPNotFound(f'there are /, {", ".join((*PAGES, *CHANGING, "/healthz"))}')
        if request.method not in ('GET', 'HEAD'):
            raise HTTPMethodNotAllowed('GET it')
        return getattr(self, PAGES[path])(request)

    def _health(self):
        """Return 200 while the agent has a valid Instruction and no fault, else 503."""
        instruction, faults = self._agent.instruction, self._agent.faults
        well = instruction is not None and instruction.expires_at > self._clock() and not faults
        return health(well, 'ok' if well else '; '.join(faults.values()) or 'no instruction')

    def _change(self, request, trusted):
        if request.method != 'POST':
            raise HTTPMethodNotAllowed('POST it')
        if CHANGE_HEADER not in request.headers and not trusted:
            raise HTTPForbidden(f'without the header {CHANGE_HEADER}, of any value: so that no web '
                                'page can do it')
        try:
            self._drain(request.path == '/v1/drain')
        except OSError as err:
            raise HTTPServiceUnavailable(f'{err.filename}: {err.strerror}') from None
        return reply({'node': self._agent.options.node, 'state': self._agent.state})

    def _page(self):
        answer = Response(PAGE.read_bytes(), content_type='text/html', charset='utf-8')
        answer.headers.update({'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store'})
        return answer

    def _metrics(self, _request):
        return metrics(self._exposition())

    def _cluster(self, _request):
        return reply(documents.cluster(self._agent, self._clock()))

    def _clusters(self, _request):
        return reply(documents.clusters(self._agent, self._clock()))

    def _history(self, request):
        try:
            since = float(request.GET.get('since', '0'))
        except ValueError:
            since = math.nan
        if not math.isfinite(since):
            raise HTTPBadRequest('since: must be an instant, as in `now`')
        return reply(documents.history(self._agent, self._clock(), max(since, 0.0)))

    def _reports(self, _request):
        return reply(documents.reports(self._agent, self._clock()))

    def _report(self, _request):
        return Response(self._agent.datagram, content_type='application/octet-stream')

    def _instruction(self, _request):
        return reply_if_any(documents.instruction(self._agent))

    def _why(self, _request):
        return reply_if_any(documents.why(self._agent, self._clock()))

    def _name_server(self, _request):
        return reply(self._dns())


PAGES = {'/metrics': '_metrics', '/v1/cluster': '_cluster', '/v1/clusters': '_clusters',
         '/v1/history': '_history', '/v1/reports': '_reports', '/v1/report': '_report',
         '/v1/instruction': '_instruction', '/v1/why': '_why', '/v1/dns': '_name_server'}
CHANGING = ('/v1/drain', '/v1/undrain')


def reply_if_any(document):
    """Return a response with `document` as JSON; 503 if it is None: no Instruction yet."""
    if document is None:
        return Response(json.dumps({'error': 'there is no instruction yet'}), status=503,
                        content_type='application/json', charset='utf-8')
    return reply(document)
