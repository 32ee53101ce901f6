"""Whether a proxy answers: asked over real sockets."""
import contextlib
import socket
import threading

import pytest

from swift_lb.service import proxy_check
from swift_lb.service.options import AgentOptions, proxy_facts
from swift_lb.service.proxy_check import ProxyCheck, address_of


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Have a look wait for longer than any machine pauses."""
    monkeypatch.setattr(proxy_check, 'TIMEOUT', 60.0)


@contextlib.contextmanager
def server(answer):
    """Answer each connection by these bytes; yield (ip, port)."""
    listener = socket.create_server(('127.0.0.1', 0))

    def serve():
        with contextlib.suppress(OSError):
            while True:
                asked, _address = listener.accept()
                with asked:
                    asked.recv(1024)
                    asked.sendall(answer)
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize(('answer', 'fault'), [
    (b'HTTP/1.1 200 OK\r\n\r\nOK', None), (b'HTTP/1.0 404 Not Found\r\n\r\n', None),
    (b'HTTP/1.1 503 Service Unavailable\r\n\r\nDISABLED BY FILE', 'answers 503'),
    (b'', 'does not answer as HTTP servers do'), (b'SSH-2.0', 'does not answer as HTTP servers')])
def test_two_looks_in_a_row_decide(answer, fault):
    with server(answer) as address:
        check = ProxyCheck(address)
        check.look()
        assert check.fault is None
        check.look()
    assert (check.fault is None) == (fault is None)
    assert fault is None or fault in check.fault


def test_one_that_is_gone_is_told_and_one_that_is_back_is_well_at_once():
    with server(b'HTTP/1.1 200 OK\r\n\r\n') as address:
        check = ProxyCheck(address)
        check.look()
        check.address = address[0], socket.create_server(('127.0.0.1', 0)).getsockname()[1]
        for _number in range(2):
            check.look()
        assert 'does not answer: Connection refused' in check.fault
        check.address = address
        check.look()
        assert check.fault is None


@pytest.mark.parametrize(('conf', 'options', 'expected'), [
    ('bind_ip = 10.0.0.1\nbind_port = 8080', {}, ('10.0.0.1', 8080)),
    ('bind_ip = 0.0.0.0\nbind_port = 8080', {}, ('127.0.0.1', 8080)),
    ('bind_ip = ::\nbind_port = 8080', {}, ('::1', 8080)),
    ('bind_port = 80', {'proxy': '10.0.0.9:443'}, ('127.0.0.1', 80)),
    ('', {'proxy': '[2001:db8::1]:8080'}, ('2001:db8::1', 8080)),
    ('', {}, None), ('bind_port = 8080\ncert_file = /etc/cert', {}, None),
    ('bind_port = 8080', {'check': False}, None)])
def test_whom_to_ask(tmp_path, conf, options, expected):
    path = tmp_path / 'proxy-server.conf'
    path.write_text(f'[DEFAULT]\n{conf}\n')
    assert address_of(AgentOptions(**options), proxy_facts(path)) == expected


def test_who_is_not_asked_any_more_is_not_at_fault():
    with server(b'HTTP/1.1 503 Service Unavailable\r\n\r\n') as address:
        check = ProxyCheck(address)
        for _number in range(2):
            check.look()
        assert check.fault is not None
    check.address = None
    check.look()
    assert check.fault is None


@pytest.mark.parametrize('address', [('a..b', 80), ('127.0.0.1', 99999)])
def test_an_address_that_is_none_is_told(address):
    check = ProxyCheck(address)
    for _number in range(2):
        check.look()
    assert 'does not answer' in check.fault
