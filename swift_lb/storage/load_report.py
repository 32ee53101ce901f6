"""`egg:swift-lb#lb_report`: an object server reports its devices' load, and may decline reads.

    [pipeline:main]
    pipeline = healthcheck recon lb_report object-server

    [filter:lb_report]
    use = egg:swift-lb#lb_report
    # declining = true

It counts the requests for objects on each device, of all workers, from their arrival to the end of
their answers, except while they wait for their clients (visit.py). The device includes all that is
right of the filter in the pipeline. Answers to GET and HEAD have the report in a header
(wire/report.py). If a device has more requests than the limit in a read's header, the read is
answered with 429 at once, without the disk. All other requests pass unchanged, and so does every
request if the filter itself fails, which is logged once.
"""
from dataclasses import dataclass

from swift.common.utils import get_logger
from swift.common.wsgi import ConfigFileError

from swift_lb import clock
from swift_lb.config import boolean, option, read_options
from swift_lb.errors import ConfigError
from swift_lb.storage.device_table import DeviceTable
from swift_lb.storage.visit import FollowedBody, FollowedInput, Visit
from swift_lb.wire.report import DECLINED, LIMIT, LOAD, decode_limit, encode

METHODS = ('GET', 'HEAD', 'PUT', 'POST', 'DELETE')
READS = ('GET', 'HEAD')    # their answers carry the report
LIMIT_KEY = 'HTTP_' + LIMIT.upper().replace('-', '_')


@dataclass(frozen=True)
class LoadReportOptions:
    """The options of [filter:lb_report]; `etc/object-server.conf-sample` explains each."""

    declining: bool = option(True, boolean, '', 'answer 429 above the limit that a proxy sends')


_tables = {}    # conf file -> DeviceTable, made in the parent of the workers and shared by them


class LoadReport:
    """The WSGI filter lb_report: adds the load of the device to each answer to a GET or HEAD."""

    def __init__(self, app, table, declining, logger, now=clock.monotonic):
        """Take the WSGI app to wrap, the DeviceTable of all workers, and now(), monotonic seconds.

        `declining` is whether a read gets 429 if its device has more requests than its limit.
        """
        self.app = app
        self._table, self._declining, self._logger, self._now = table, declining, logger, now
        self._last_error = None

    def __call__(self, env, start_response):
        """Decline a read with 429, or pass the request to `app` and count it meanwhile."""
        device = device_of(env['REQUEST_METHOD'], env['PATH_INFO'])
        received = self._safely(self._receive, device, env) if device else None
        if received is None:
            return self.app(env, start_response)
        visit, place = received
        if visit is None:
            start_response('429 Too Many Requests', [
                ('Content-Type', 'text/plain'), ('Content-Length', '0'), (DECLINED, '1'),
                *self._header(self._table.report, place, 0)])
            return [b'']
        if visit.method == 'PUT' and 'wsgi.input' in env:
            env['wsgi.input'] = FollowedInput(env['wsgi.input'], visit, self._safely)
        try:
            body = self.app(env, self._reporting(visit, start_response))
        except BaseException:
            self._safely(visit.end)
            raise
        if hasattr(body, '__len__'):    # the whole body; eventlet's server reads its length
            self._safely(visit.end)
            return body
        return FollowedBody(body, visit, self._now, self._safely)

    def _receive(self, device, env):
        """Return (the Visit of a request, its device's row); None if it cannot be counted.

        The Visit is None if the request is to be declined.
        """
        now, method = self._now(), env['REQUEST_METHOD']
        place = self._table.place_of(device, now)
        if place is None:
            return None
        if self._declining and method in READS and LIMIT_KEY in env:
            limit = decode_limit(env[LIMIT_KEY])
            if limit is not None and self._table.in_flight(place) > limit:
                return None, place
        return Visit(self._table, place, method, now), place

    def _reporting(self, visit, start_response):
        """Return a start_response that adds the load report to the headers of a read's answer."""
        def start(status, headers, *exc_info):
            visit.answer(status)
            if visit.method in READS:
                headers = [*headers, *self._header(visit.report)]
            return start_response(status, headers, *exc_info)
        return start

    def _header(self, get_report, *args):
        report = self._safely(get_report, *args)
        text = report and self._safely(encode, report)
        return [(LOAD, text)] if text else []

    def _safely(self, function, *args):
        """Return function(*args), or None if it raises; log what it raises if that is new."""
        try:
            return function(*args)
        except Exception as err:
            if repr(err) != self._last_error:
                self._last_error = repr(err)
                self._logger.exception('lb_report lets requests through untouched')
            return None


def device_of(method, path):
    """Return the device in the `path` of a request for an object, None for another request.

    Such a path is /device/partition/account/container/object, with a method of METHODS.
    """
    parts = path.split('/', 5)
    of_object = len(parts) == 6 and all(parts[1:])
    return parts[1] if of_object and method in METHODS else None


def filter_factory(global_conf, **local_conf):
    """Return a function that wraps an app in a LoadReport, for PasteDeploy.

    It is called in the parent of the workers first, which makes the DeviceTable, then in each one.
    """
    path = global_conf.get('__file__', 'conf')
    try:
        section = local_conf.get('__name__', 'lb_report')   # Swift's loader gives the name
        options = read_options(LoadReportOptions, local_conf, f'{path}, [filter:{section}]')
    except ConfigError as err:
        raise ConfigFileError(str(err)) from None
    logger = get_logger(global_conf, log_route='lb_report')
    try:
        table = _tables[path] = _tables.get(path) or DeviceTable()
    except OSError:
        logger.exception('lb_report has no memory to share with other workers, and does nothing')
        return lambda app: app
    return lambda app: LoadReport(app, table, options.declining, logger)
