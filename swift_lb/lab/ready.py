"""Wait until a lab's servers answer; if one does not, the error says why."""
import http.client
import json
import pathlib
import socket

from swift_lb.clock import monotonic, sleep
from swift_lb.errors import LabError
from swift_lb.lab import conf
from swift_lb.lab.process import reap

POLL = 0.03        # seconds between requests
TIMEOUT = 2.0      # seconds that a response may take: all servers start at once, on few cores
QUOTED = 15        # lines of a dead server's output in the error message


def wait_ready(processes, log_directory, timeout):
    """Wait until the servers `processes`, a list of a lab's Processes, all answer.

    Raises LabError if one ends, or after `timeout` seconds: with the last lines that one of these
    servers has written in `log_directory`.
    """
    until = monotonic() + timeout
    waiting = list(processes)
    while True:
        obstacles = [(process, _obstacle(process)) for process in waiting]
        waiting = [process for process, obstacle in obstacles if obstacle]
        if not waiting:
            return
        for process in waiting:
            reap(process.pid)
            if not process.alive:
                raise LabError(_obituary(process, log_directory))
        if monotonic() > until:
            reasons = ', '.join(f'{process.name} ({obstacle})' for process, obstacle in obstacles
                                if obstacle)
            raise LabError(f'not ready after {timeout:g} s: {reasons}\n'
                           + _last_words(waiting[0], log_directory))
        sleep(POLL)


def wait_for_files(paths, process, log_directory, timeout):
    """Wait until the Process `process` has created all files `paths`, a list of Paths.

    Raises LabError if it ends, or after `timeout` seconds: with the last lines that it has written
    in `log_directory`.
    """
    until = monotonic() + timeout
    while not all(path.exists() for path in paths):
        reap(process.pid)
        if not process.alive or monotonic() > until:
            raise LabError(_obituary(process, log_directory))
        sleep(POLL / 3)


def _obstacle(process):
    """Return None if the server `process` is ready, else a phrase: why it is not."""
    if process.kind == 'sync':      # it does not listen
        return None if process.alive else 'ended'
    try:
        if process.kind == 'memcached':
            socket.create_connection((process.ip, process.port), TIMEOUT).close()
            return None
        if process.kind == 'image':
            return _silent_socket(process)
        path = '/healthz' if process.kind in ('agent', 'dns') else '/healthcheck'
        status, _headers, _body = http_get(process.ip, process.port, path, TIMEOUT)
        if status != 200:
            return f'{path} answers {status}'
        return _unreachable_proxies(process) if process.kind == 'dns' else None
    except OSError:
        return 'no answer'


def _silent_socket(process):
    """Return None if the decoder of images `process` listens on its unix socket, else a phrase."""
    path = conf.image_socket(pathlib.Path(process.command[-1]).parents[1], process.name)
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(TIMEOUT)
        probe.connect(str(path))
    return None


def _unreachable_proxies(process):
    """Return None if the DNS service `process` has reached all proxies, else a phrase.

    The phrase lists the addresses of the proxies that it has not reached: proxies start at the same
    time as the DNS service, and may not listen yet. The key is needed in a site, whose loopback
    interface is not that of `lab up`.
    """
    _status, _headers, body = http_get(process.ip, process.port, '/v1/dns', TIMEOUT,
                                       {'X-Lb-Key': conf.LABS_KEY})
    addresses = [proxy['address'] for family in json.loads(body)['families']
                 for proxy in family['proxies'] if not proxy['reachable']]
    return f'has not reached the proxy at {", ".join(addresses)}' if addresses else None


def http_get(ip, port, path, timeout, headers=()):
    """Send a GET of `path` to ip:port; return the response, (status, headers, body as bytes).

    `headers` are the request's, a dict. Raises OSError if the response is not complete, or no byte
    of it comes for `timeout` seconds.
    """
    connection = http.client.HTTPConnection(ip, port, timeout=timeout)
    try:
        connection.request('GET', path, headers=dict(headers))
        response = connection.getresponse()
        return response.status, response.headers, response.read()
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
