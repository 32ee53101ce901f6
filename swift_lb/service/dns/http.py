"""The HTTP interface of the DNS service, for operators and programs."""
from webob.dec import wsgify
from webob.exc import HTTPMethodNotAllowed, HTTPNotFound

from swift_lb.service.answering import admit, health, metrics, reply

PATHS = ('/metrics', '/v1/dns', '/healthz')


class Http:
    """A WSGI application."""

    def __init__(self, key, document, text):
        """Take `document()`, which returns that of /v1/dns, and `text()`, Prometheus' text."""
        self._key, self._document, self._text = key, document, text

    @wsgify
    def __call__(self, request):
        """Answer one request."""
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
        """Answer 200 while all processes are alive, else 503."""
        processes = self._document()['processes']
        silent = [one['process'] for one in processes if not one['answers']]
        return health(processes and not silent, f'no word from {", ".join(silent)}' if silent
                      else 'ok' if processes else 'no process has told anything yet')
