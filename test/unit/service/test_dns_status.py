"""The HTTP interface of the DNS service: which clients it answers, with what; what is logged."""
import socket

import pytest
from support.dns_reports import datagram, options
from support.free_port import free_port
from webob import Request

from swift_lb.errors import NameServerError
from swift_lb.service.dns.status import PATHS, Status
from swift_lb.service.process import listening

KEY = 'the key of the clients'
LOCAL, REMOTE = '127.0.0.1', '10.0.0.7'


class Log:
    """A logger that appends its messages to `lines`."""

    def __init__(self):
        self.lines = []

    def warning(self, text, *args):
        """Append a message that begins with '! '."""
        self.lines.append('! ' + text % args)

    def info(self, text, *args):
        """Append a message."""
        self.lines.append(text % args)


@pytest.fixture
def log():
    """Return a Log without messages."""
    return Log()


@pytest.fixture
def status(log):
    """Return a Status that needs KEY, and to which no process has reported."""
    return Status(options(http_key=KEY), log)


def ask(status, path, method='GET', address=LOCAL, **headers):
    """Return the response to a request of a client with this IP; '_' in headers is '-'."""
    request = Request.blank(path, method=method, environ={'REMOTE_ADDR': address})
    request.headers.update({name.replace('_', '-'): text for name, text in headers.items()})
    return request.get_response(status.http)


@pytest.mark.parametrize('path', ['/metrics', '/v1/dns', '/nowhere'])
def test_an_http_client_of_another_host_needs_the_key(status, path):
    assert 403 == ask(status, path, address=REMOTE).status_int
    assert 403 == ask(status, path, address=REMOTE, X_Lb_Key='wrong').status_int
    assert 403 == ask(status, path, X_Forwarded_For=LOCAL).status_int
    assert 403 == ask(status, path, Host='evil.example').status_int
    assert ask(status, path, address=REMOTE, X_Lb_Key=KEY).status_int in (200, 404)


@pytest.mark.parametrize('path', PATHS[:2])
def test_an_http_client_of_this_host_needs_no_key(status, path):
    assert 200 == ask(status, path).status_int
    assert (200, b'') == (ask(status, path, 'HEAD').status_int, ask(status, path, 'HEAD').body)
    assert 405 == ask(status, path, 'POST').status_int


def test_the_response_to_an_unknown_path_lists_the_known_paths(status):
    assert 'there are /metrics, /v1/dns, /healthz' in ask(status, '/').text


def test_reports_of_processes_appear_in_the_status_document(status):
    status.receive(datagram())
    result = ask(status, '/v1/dns').json
    assert ('lb.example.com', 77, 30) == (result['zone'], result['serial'], result['ttl'])
    assert 'swift_lb_dns_serial 77.0\n' in ask(status, '/metrics').text


def test_healthz_is_503_until_a_process_reports(status):
    answer = ask(status, '/healthz', address=REMOTE)
    assert (503, 'no process has reported yet\n') == (answer.status_int, answer.text)
    status.receive(datagram())
    answer = ask(status, '/healthz', address=REMOTE)
    assert (200, 'ok\n') == (answer.status_int, answer.text)


def test_log_changes_logs_a_fault_and_its_end_once_each(status, log):
    status.receive(datagram(instruction='/run/it.json has expired 2.0 s ago'))
    status.log_changes(0.0)
    status.log_changes(1.0)
    assert ['! swift-lb-dns: answers are without an instruction, so that all addresses have equal '
            'chances: /run/it.json has expired 2.0 s ago'] == log.lines
    status.receive(datagram())
    status.log_changes(2.0)
    assert 'swift-lb-dns: answers follow an instruction again' == log.lines[1]


def test_an_http_port_in_use_is_reported_in_one_sentence():
    with socket.create_server((LOCAL, 0)) as other:
        port = str(other.getsockname()[1])
        with pytest.raises(NameServerError) as refused:
            listening(options(http_port=port), NameServerError)
    assert f'http_ip = 127.0.0.1, http_port = {port}: Address already in use' == str(refused.value)


def test_the_http_port_is_not_shared_with_another_server():
    """A second listening() raises NameServerError: each server would get half of the requests."""
    port = str(free_port())
    for_dns = options(http_port=port), NameServerError, False
    with listening(*for_dns) as _first, pytest.raises(NameServerError):
        listening(*for_dns)
