"""The agent gets the status of its host's DNS service, or a reason why it does not."""
import json
import socket

import pytest
from support.free_port import free_port

from swift_lb.service import name_server
from swift_lb.service.name_server import NameServer

NONE = {'format': 1, 'configured': False, 'fault': None, 'dns': None}
KEY = 'the key of DNS, ü, long enough'


@pytest.fixture
def of_conf(conf, monkeypatch):
    """Return a function that writes a conf of this text and returns its NameServer."""
    monkeypatch.setattr(name_server, 'WAIT', 60.0)
    return lambda text: NameServer(conf(text))


@pytest.fixture(autouse=True)
def response(server):
    """Let the HTTP server answer with the document of a DNS service for the zone z."""
    server.response = 200, json.dumps({'format': 1, 'zone': 'z'}).encode()


def fault(document):
    """Return the fault in the document of a DNS service that is configured but gave no status."""
    assert (1, True, None) == (document['format'], document['configured'], document['dns'])
    return document['fault']


def test_a_conf_without_the_section_lb_dns_has_no_dns_service(of_conf):
    assert NONE == of_conf('[lb-agent]\n[DEFAULT]\nhttp_port = 1\n')()


def test_the_dns_service_is_asked_with_the_http_key_of_lb_dns(of_conf, server):
    document = of_conf(f'[lb-dns]\nhttp_port = {server.server_port}\nhttp_key = {KEY}\n'
                    'http_ip = 0.0.0.0\n')()
    assert NONE | {'configured': True, 'dns': {'format': 1, 'zone': 'z'}} == document
    assert [('/v1/dns', KEY.encode().decode('latin-1'))] == server.requests


def test_the_section_default_sets_what_lb_dns_does_not(of_conf, server):
    ask = of_conf(f'[DEFAULT]\nhttp_port = {server.server_port}\n[lb-dns]\n')
    assert ask()['dns'] is not None
    assert [('/v1/dns', None)] == server.requests


def test_a_new_lb_dns_section_is_seen_when_read_is_called(of_conf, server, tmp_path):
    ask = of_conf('[lb-agent]\n')
    (tmp_path / 'lb-server.conf').write_text(f'[lb-dns]\nhttp_port = {server.server_port}\n')
    assert NONE == ask()
    ask.read()
    assert ask()['dns'] is not None


@pytest.mark.parametrize(('status', 'body', 'why'), [
    (403, b'', 'its status is 403'), (200, b'[1]', 'its document is not of format 1'),
    (200, b'{"format": 2}', 'its document is not of format 1'),
    (200, b'<html>', 'Expecting value: line 1 column 1 (char 0)')])
def test_an_invalid_response_of_the_dns_service_is_a_fault(of_conf, server, status, body, why):
    server.response = status, body
    ask = of_conf(f'[lb-dns]\nhttp_port = {server.server_port}\n')
    assert (f'the DNS service of this node, at 127.0.0.1, port {server.server_port}, does not '
            f'answer: {why}') == fault(ask())


def test_a_refused_connection_to_the_dns_service_is_a_fault(of_conf):
    assert fault(of_conf(f'[lb-dns]\nhttp_port = {free_port()}\n')()).endswith(
        'does not answer: Connection refused')


def test_a_request_to_a_hung_dns_service_times_out(of_conf, monkeypatch):
    monkeypatch.setattr(name_server, 'WAIT', 0.1)
    with socket.create_server(('127.0.0.1', 0)) as mute:
        assert fault(of_conf(f'[lb-dns]\nhttp_port = {mute.getsockname()[1]}\n')()).endswith(
            'does not answer: nothing came for 0.1 s')


@pytest.mark.parametrize('port', ['x', '-1', '99999', '6210 6211'])
def test_an_invalid_http_port_of_the_dns_service_is_a_fault(of_conf, port):
    assert f'port {port}, does not answer' in fault(of_conf(f'[lb-dns]\nhttp_port = {port}\n')())
