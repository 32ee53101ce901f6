"""The status of a real swift-lb-dns: over HTTP, in `swift-lb why`, and from its agent."""
import http.client
import json
import os
import signal

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.lb_dns import LbDnsServer
from support.name_server import wait_until

from swift_lb.cli import main
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.model import LATE
from swift_lb.service import name_server

ZONE, NAME = 'lb.example.com', 'swift.lb.example.com'
SHARES = {'192.0.2.1': 0.26, '192.0.2.2': 0.31, '192.0.2.3': 0.43}
QUERIES = 1000


@pytest.fixture(scope='module')
def server():
    """A swift-lb-dns with two UDP processes, which has answered QUERIES queries for A."""
    with LbDnsServer(ZONE, SHARES, 'workers = 2') as one:
        for _query in range(QUERIES):
            one.ask(NAME)
        wait_until(lambda: counted(one) >= QUERIES)
        yield one


def get(server, path):
    """Return the body, bytes, of swift-lb-dns's answer to GET `path` over HTTP; it must be 200."""
    connection = http.client.HTTPConnection('127.0.0.1', server.http_port, timeout=30)
    connection.request('GET', path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert 200 == answer.status, body
    return body


def document(server):
    """Return the document of GET /v1/dns, the status of the DNS service."""
    return json.loads(get(server, '/v1/dns'))


def metric(server, name):
    """Return {sorted tuple of label values: number} of the metric swift_lb_dns_`name`."""
    text = get(server, '/metrics').decode()
    return {tuple(sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(text) for sample in family.samples
            if sample.name == f'swift_lb_dns_{name}'}


def counted(server):
    """Return the number of A queries that the DNS service has counted as answered."""
    return metric(server, 'queries_total').get(('A', 'answer'), 0)


def test_the_dns_status_shows_target_shares_and_shares_in_answers(server):
    proxies = document(server)['families'][0]['proxies']
    assert pytest.approx(list(SHARES.values())) == [one['target'] for one in proxies]
    assert pytest.approx(list(SHARES.values()), abs=0.02) == [
        one['given_share'] for one in proxies]
    given, expected = metric(server, 'answers_total'), metric(server, 'answers_expected_total')
    # The sequence jumps: a thousand answers are off by a point, and seldom by two.
    assert pytest.approx(expected, abs=0.02 * QUERIES) == given
    assert pytest.approx(2 * QUERIES, abs=10) == sum(given.values())


def test_counts_of_answers_survive_a_killed_udp_process(server):
    for _time in range(2):
        before = counted(server)
        one = next(one for one in document(server)['processes'] if one['process'] == 'udp0')
        os.kill(one['pid'], signal.SIGKILL)
        wait_until(lambda was=one: was['pid'] not in [
            other['pid'] for other in document(server)['processes']])
        assert counted(server) >= before
    assert {('tcp',): 1, ('udp0',): 3, ('udp1',): 1} == metric(server, 'starts_total')
    assert b'ok\n' == get(server, '/healthz')


def test_the_command_why_names_nodes_that_answers_leave_out(server, capsys):
    server.instruct(SHARES, node_3=LATE)
    wait_until(lambda: document(server)['families'][0]['proxies'][2]['left_out'])
    assert {('A', 'late', 'node-3'): 1} == metric(server, 'left_out')
    assert 0 == main(['why', '--dns', NAME.upper(), '--url',
                      f'http://127.0.0.1:{server.http_port}'])
    lines = capsys.readouterr().out.splitlines()
    assert f'{NAME} resolves to the proxies, in the zone {ZONE}' == lines[0]
    assert ('TTL 30 s (usually 60 s, less while the state of a node may change soon: node-3)'
            in lines[1])
    assert lines[-1].endswith('left out: its report is overdue')


def test_the_agent_forwards_the_status_of_the_dns_service(server, monkeypatch):
    monkeypatch.setattr(name_server, 'WAIT', 60.0)
    result = name_server.NameServer(server.folder / 'lb-server.conf')()
    assert (True, None, ZONE) == (result['configured'], result['fault'], result['dns']['zone'])


def test_the_dns_status_says_that_the_instruction_file_is_missing(server):
    # It stays missing: this is the last test with this server.
    assert {(): 0} == metric(server, 'without_instruction')
    os.unlink(server.folder / 'instruction.json')
    wait_until(lambda: {(): 1} == metric(server, 'without_instruction'))
    assert document(server)['without_instruction'].endswith('No such file or directory')


def test_lab_up_waits_until_dns_servers_can_connect_to_proxies(capsys):
    with Lab.up(LabSpec(name=f'dns-{os.getpid()}', proxies=2, dns=True)) as lab:
        for ip, _port in lab.name_servers:
            main(['why', '--dns', 'swift.lb.lab.test', '--url', f'http://{ip}:6210'])
            text = capsys.readouterr().out
            assert [True, True] == [f'proxy-{number} ' in text for number in (1, 2)]
            assert 'not reached' not in text
