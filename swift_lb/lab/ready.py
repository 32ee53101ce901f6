"""Wait until servers answer; report why one does not."""
import http.client
import json
import pathlib
import socket

from swift_lb.clock import monotonic, sleep
from swift_lb.errors import LabError
from swift_lb.lab.process import reap

POLL = 0.03        # seconds between questions
PATIENCE = 2.0     # seconds that a response may take: all servers start at once, on few cores
QUOTED = 15        # lines of a dead server's output in the error message


def wait_ready(processes, log_directory, timeout):
    """Return when every one of `processes` answers.

    Raises LabError if one ends, or after `timeout`.
    """
    waiting = list(processes)
    until = monotonic() + timeout
    while True:
        waiting = [process for process in waiting if not _answers(process)]
        if not waiting:
            return
        for process in waiting:
            reap(process.pid)
            if not process.alive:
                raise LabError(_obituary(process, log_directory))
        if monotonic() > until:
            names = ', '.join(process.name for process in waiting)
            raise LabError(f'{names}: no answer after {timeout:g} s\n'
                           + _last_words(waiting[0], log_directory))
        sleep(POLL)


def wait_for_files(paths, process, log_directory, timeout):
    """Return when `process` has created all `paths`; raises LabError if it ends first."""
    until = monotonic() + timeout
    while not all(path.exists() for path in paths):
        reap(process.pid)
        if not process.alive or monotonic() > until:
            raise LabError(_obituary(process, log_directory))
        sleep(POLL / 3)


def _answers(process):
    if process.kind == 'memcached':
        return _connects(process)
    try:
        path = '/healthz' if process.kind in ('agent', 'dns') else '/healthcheck'
        healthy = http_get(process.ip, process.port, path, PATIENCE)[0] == 200
        return healthy and (process.kind != 'dns' or _reaches_all(process))
    except OSError:
        return False


def _reaches_all(process):
    """Return whether a DNS service has connected to all proxies, which start at the same time."""
    _status, _headers, body = http_get(process.ip, process.port, '/v1/dns', PATIENCE)
    return all(proxy['reachable'] for family in json.loads(body)['families']
               for proxy in family['proxies'])


def _connects(process):
    try:
        socket.create_connection((process.ip, process.port), PATIENCE).close()
    except OSError:
        return False
    return True


def http_get(ip, port, path, timeout, headers=()):
    """Return (status, headers, body) of one GET; raises OSError without a complete response."""
    connection = http.client.HTTPConnection(ip, port, timeout=timeout)
    try:
        connection.request('GET', path, headers=dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    except http.client.HTTPException as err:
        raise OSError(f'{ip}:{port}{path}: {err!r}') from None
    finally:
        connection.close()


def _obituary(process, log_directory):
    return f'{process.name} ended while it started\n' + _last_words(process, log_directory)


def _last_words(process, log_directory):
    lines = []
    for suffix in ('out', 'log'):
        path = pathlib.Path(log_directory, f'{process.name}.{suffix}')
        if path.exists():
            lines += path.read_text(errors='replace').splitlines()
    return '\n'.join(f'  {process.name}: {line}' for line in lines[-QUOTED:] or ['(no output)'])
