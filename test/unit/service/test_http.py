"""The agent's HTTP: who is answered, what, and how it says no."""
import json
import pathlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.one_agent import OneAgent, round_of
from webob import Request

from swift_lb.model import Part
from swift_lb.service import exposition
from swift_lb.service.exposition import COUNTERS, GAUGES, PREFIX, Exposition
from swift_lb.service.http import CHANGE_HEADER, CHANGING, SHOWN, AgentHttp
from swift_lb.service.mesh import TRAFFIC, fetch_report
from swift_lb.wire import instruction

KEY = 'the key of those who ask, ü'
DOCUMENTS = sorted(path for path in SHOWN if path not in ('/', '/metrics', '/v1/report'))
NAME_SERVER = {'format': 1, 'configured': True, 'fault': 'it is stubborn', 'dns': None}
LOCAL, REMOTE = '127.0.0.1', '10.0.0.7'


class Asked:
    """The HTTP of one of two agents that know each other."""

    def __init__(self, directory, **options):
        self.one = OneAgent(directory, http_key=KEY, **options)
        self.other = OneAgent(directory, 'node-2')
        self.drained = []
        traffic = dict.fromkeys(TRAFFIC, 3)
        exposition = Exposition(self.one.agent, traffic, lambda: self.one.now)
        self.http = AgentHttp(self.one.agent, exposition, self.drained.append,
                              lambda: self.one.now, lambda: NAME_SERVER)

    def ask(self, path, method='GET', address=LOCAL, **headers):
        """Return the answer to a request."""
        request = Request.blank(path, method=method, environ={'REMOTE_ADDR': address})
        request.headers.update({name.replace('_', '-'): text for name, text in headers.items()})
        return request.get_response(self.http)

    def document(self, path):
        """Return a document; it is JSON as all can read it, without NaN and Infinity."""
        answer = self.ask(path)
        assert (answer.status_int, answer.content_type) == (200, 'application/json')
        return json.loads(answer.body, parse_constant=lambda text: pytest.fail(text))


@pytest.fixture
def asked(tmp_path):
    """The HTTP of an agent that has planned."""
    asked = Asked(tmp_path)
    for _round in range(3):
        round_of([asked.one, asked.other])
    return asked


@pytest.fixture
def young(tmp_path):
    """The HTTP of an agent that has done nothing yet."""
    return Asked(tmp_path)


def wsgi(text):
    """Return bytes of UTF-8 as WSGI has them in headers."""
    return text.encode().decode('latin-1')


# -- who is answered


@pytest.mark.parametrize('path', [*SHOWN, '/nowhere', *CHANGING])
def test_who_is_not_here_needs_the_key(asked, path):
    assert asked.ask(path, address=REMOTE).status_int == 403
    assert asked.ask(path, address=REMOTE, X_Lb_Key='wrong').status_int == 403
    assert asked.ask(path, X_Forwarded_For='127.0.0.1').status_int == 403
    assert asked.ask(path, address=REMOTE, X_Lb_Key=wsgi(KEY)).status_int in (200, 404, 405)


@pytest.mark.parametrize('path', SHOWN)
def test_who_is_here_is_answered(asked, path):
    assert asked.ask(path).status_int == 200
    head = asked.ask(path, 'HEAD')
    assert (head.status_int, head.body) == (200, b'')


@pytest.mark.parametrize('path', SHOWN)
@pytest.mark.parametrize('method', ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
def test_what_is_shown_is_not_changed(asked, path, method):
    assert asked.ask(path, method).status_int == 405


@pytest.mark.parametrize('path', ['/v1', '/v1/', '/v1/cluster/', '//', '/v1/Cluster', '/%ff',
                                  '/v1/%ff', '/v1/cluster%00', '/../etc/passwd', '/page'])
def test_what_is_not_there_is_told_with_what_is(asked, path):
    answer = asked.ask(path)
    assert answer.status_int == 404
    assert '/v1/cluster' in answer.text


def test_the_page_may_load_nothing(asked):
    answer = asked.ask('/')
    assert (answer.content_type, answer.charset) == ('text/html', 'utf-8')
    assert answer.headers['Content-Security-Policy'].startswith("default-src 'none'; ")


# -- drain and undrain


def test_no_web_page_can_drain(asked):
    for path in CHANGING:
        assert asked.ask(path).status_int == 405
        assert asked.ask(path, 'POST').status_int == 403
    assert asked.drained == []


def test_who_means_it_can(asked):
    for path, drained in (('/v1/drain', True), ('/v1/undrain', False)):
        answer = asked.ask(path, 'POST', **{CHANGE_HEADER: '1'})
        assert answer.json == {'node': 'node-1', 'state': 'up'}
        assert asked.drained.pop() is drained
        assert asked.ask(path, 'POST', REMOTE, X_Lb_Key=wsgi(KEY)).status_int == 200
        assert asked.drained.pop() is drained


def test_what_can_not_be_done_is_told(asked):
    place = pathlib.Path('/proc/nowhere/drained')
    asked.http._drain = lambda yes: place.touch()
    answer = asked.ask('/v1/drain', 'POST', **{CHANGE_HEADER: '1'})
    assert answer.status_int == 503
    assert f'{place}: No such file or directory' in answer.text


# -- health


def test_health_needs_no_key_and_is_bad_until_there_is_an_instruction(young):
    answer = young.ask('/healthz', address=REMOTE)
    assert (answer.status_int, answer.text) == (503, 'no instruction\n')
    young.one.tick()
    assert young.ask('/healthz', address=REMOTE).text == 'ok\n'
    young.one.now += 5.0
    assert young.ask('/healthz').status_int == 503


def test_health_is_bad_while_something_is_at_fault(asked):
    asked.one.agent.fault('conf', 'not reloaded: because')
    answer = asked.ask('/healthz')
    assert (answer.status_int, answer.text) == (503, 'not reloaded: because\n')
    asked.one.agent.fault('conf', None)
    assert asked.ask('/healthz').status_int == 200


# -- documents


@pytest.mark.parametrize('path', DOCUMENTS)
def test_documents_are_there_from_the_first_moment_or_say_so(young, path):
    answer = young.ask(path)
    assert answer.status_int in (200, 503)
    if answer.status_int == 503:
        assert answer.json == {'error': 'there is no instruction yet'}


@pytest.mark.parametrize('path', DOCUMENTS)
def test_documents_are_json_for_all_who_read_it(asked, path):
    assert asked.document(path)['format'] == 1


def test_thresholds_that_are_off_are_told_in_json(tmp_path):
    asked = Asked(tmp_path)
    plan = asked.one.options.plan._replace(reject=float('inf'), critical=float('inf'))
    asked.one.agent.options = asked.one.options.__class__(**{
        **vars(asked.one.options), 'plan': plan})
    asked.one.tick()
    found = asked.document('/v1/why')['options']
    assert (found['reject'], found['critical'], found['band']) == ('off', 'off', plan.band)


def test_the_cluster(asked):
    found = asked.document('/v1/cluster')
    assert [node['node'] for node in found['nodes']] == ['node-1', 'node-2']
    assert found['generation'] == asked.one.agent.instruction.generation
    assert sum(node['dns'] for node in found['nodes']) == pytest.approx(1)
    assert found['nodes'][1]['address'] == '10.0.0.2:6208'
    assert [node['flows'] for node in found['nodes']] == [{}, {}]
    asked.one.now += 4.0
    asked.one.agent.plan(asked.one.now)
    assert asked.document('/v1/cluster')['nodes'][1]['state'] == 'late'
    asked.one.now += 1.0
    asked.one.agent.plan(asked.one.now)
    assert asked.document('/v1/cluster')['nodes'][1]['state'] == 'gone'


def test_who_hands_on_to_whom_is_told_by_every_agent(asked):
    asked.other.agent.monitor._flows = lambda now: {'node-1': 12.5, 'node-7': 0.25}
    for _round in range(2):
        round_of([asked.one, asked.other])
    assert [node['flows'] for node in asked.document('/v1/cluster')['nodes']] == [
        {}, {'node-1': 12.5, 'node-7': 0.25}]


def test_what_the_dns_service_says_is_handed_on(asked):
    assert asked.document('/v1/dns') == NAME_SERVER


def test_the_instruction_is_the_files(asked):
    said = json.loads(asked.ask('/v1/instruction').body)
    rows = json.dumps(said | {'parts': [list(part.values()) for part in said['parts']]})
    assert instruction.decode(rows, said['boot']) == (asked.one.agent.instruction, None)
    assert list(said['parts'][0]) == list(Part._fields)


def test_a_page_of_another_site_that_gave_its_own_name_to_this_host_learns_nothing(asked):
    assert asked.ask('/v1/cluster', Host='evil.example:6209').status_int == 403
    for host in ('127.0.0.1:6209', '[::1]:6209', 'localhost'):
        assert asked.ask('/v1/cluster', Host=host).status_int == 200


@pytest.mark.parametrize('path', ['/v1/cluster', '/v1/reports', '/metrics'])
def test_a_wrong_key_opens_nothing_to_such_a_page(asked, path):
    assert asked.ask(path, Host='evil.example', X_Lb_Key='guessed').status_int == 403
    assert asked.ask('/v1/drain', 'POST', X_Lb_Key='guessed').status_int == 403
    assert not asked.one.agent.drained


def test_the_report_is_the_datagram(asked):
    assert asked.ask('/v1/report').body == asked.one.agent.datagram


@pytest.mark.parametrize('since', ['x', 'nan', 'inf', '-inf', '1e999', '', '%ff', '1,5', '0x1'])
def test_since_is_an_instant(asked, since):
    answer = asked.ask('/v1/history?since=' + since)
    assert answer.status_int == 400
    assert 'since: must be an instant' in answer.text


def test_history_begins_after_the_instant(asked):
    for _round in range(12):
        round_of([asked.one, asked.other])
    whole = asked.document('/v1/history')['nodes']['node-2']
    began = whole[0][0]
    later = asked.document(f'/v1/history?since={began}')['nodes']['node-2']
    assert whole == asked.document('/v1/history?since=-5')['nodes']['node-2']
    assert [point for point in whole if point[0] > began] == later
    assert 1 <= len(later) == len(whole) - 1
    assert asked.document('/v1/history?since=1e15')['nodes'] == {}


# -- metrics


def families(asked):
    """Return {name: family} of what Prometheus reads."""
    text = asked.ask('/metrics').text
    return {family.name: family for family in text_string_to_metric_families(text)}


@pytest.mark.parametrize('when', ['young', 'asked'])
def test_prometheus_reads_each_metric_and_no_other(request, when):
    found = families(request.getfixturevalue(when))
    ours = {name.removeprefix(PREFIX): family for name, family in found.items()
            if name.startswith(PREFIX)}
    assert set(ours) == {*COUNTERS, *GAUGES}
    for name, family in ours.items():
        table, kind = (COUNTERS, 'counter') if name in COUNTERS else (GAUGES, 'gauge')
        labels, text = table[name]
        assert (family.type, family.documentation) == (kind, text)
        assert {tuple(sample.labels) for sample in family.samples} <= {labels}


def test_its_metrics_are_what_it_knows(asked):
    asked.one.hear(asked.other, b'garbage')
    found = families(asked)
    assert [sample.value for sample in found[PREFIX + 'reports_accepted'].samples] == [3.0]
    sample, = found[PREFIX + 'reports_refused'].samples
    assert (sample.labels, sample.value) == ({'reason': 'forged'}, 1.0)
    assert {sample.labels['node']: sample.value
            for sample in found[PREFIX + 'node_dns_share'].samples} == {
                part.node: part.dns for part in asked.one.agent.instruction.parts}
    assert found[PREFIX + 'bytes_sent'].samples[0].value == 3.0
    assert exposition.PREFIX == 'swift_lb_agent_'


# -- asked by another agent


class Handler(BaseHTTPRequestHandler):
    """Answers with the report that its server has, to who has the key."""

    def do_GET(self):
        """Answer one request."""
        status = 200 if self.headers.get('X-Lb-Key') == wsgi(KEY) else 403
        self.send_response(status)
        self.end_headers()
        self.wfile.write(self.server.report)

    def log_message(self, *_args):
        """Say nothing."""


@pytest.fixture
def server():
    """An HTTP server that has a report."""
    server = HTTPServer(('127.0.0.1', 0), Handler)
    server.report = b'report'
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_report_is_pulled_with_the_key(server):
    assert fetch_report('127.0.0.1', server.server_port, KEY, 5.0) == b'report'
    assert fetch_report('127.0.0.1', server.server_port, 'wrong', 5.0) is None
    assert fetch_report('127.0.0.1', server.server_port, '', 5.0) is None


def test_of_a_long_answer_no_more_is_read_than_shows_that_it_is_too_long(server):
    server.report = b'x' * 100_000
    assert len(fetch_report('127.0.0.1', server.server_port, KEY, 5.0)) == 1201


def test_who_does_not_answer_gives_no_report(server):
    server.socket.close()
    assert fetch_report('127.0.0.1', server.server_port, KEY, 0.5) is None
    assert fetch_report('no.such.name.invalid', 1, KEY, 0.5) is None
