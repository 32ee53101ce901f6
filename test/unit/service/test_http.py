"""The agent's HTTP interface: admission, documents, drain, health, metrics, reports for peers."""
import json
import pathlib

import pytest
from support.one_agent import OneAgent, round_of
from support.prometheus import families
from webob import Request

from swift_lb.model import NodeInstruction
from swift_lb.service.exposition import COUNTERS, GAUGES, PREFIX, values
from swift_lb.service.http import CHANGE_HEADER, CHANGING, PAGES, AgentHttp
from swift_lb.service.mesh import TRAFFIC, fetch_report
from swift_lb.service.prometheus import PrometheusText
from swift_lb.version import version
from swift_lb.wire import instruction

KEY = 'the key of remote clients, ü'
DOCUMENTS = sorted(path for path in PAGES if path not in ('/', '/metrics', '/v1/report'))
NAME_SERVER = {'format': 1, 'configured': True, 'fault': 'no answer', 'dns': None}
LOCAL, REMOTE = '127.0.0.1', '10.0.0.7'


class ServedAgent:
    """The HTTP interface of the agent `one`, which knows the agent `other`."""

    def __init__(self, directory, **options):
        self.one = OneAgent(directory, http_key=KEY, **options)
        self.other = OneAgent(directory, 'node-2')
        self.drained = []
        traffic = dict.fromkeys(TRAFFIC, 3)
        exposition = PrometheusText(PREFIX, COUNTERS, GAUGES, lambda: values(
            self.one.agent, traffic, self.one.now))
        self.http = AgentHttp(self.one.agent, exposition, self.drained.append,
                              lambda: self.one.now, lambda: NAME_SERVER)

    def ask(self, path, method='GET', address=LOCAL, **headers):
        """Return the response to a client with this IP; '_' in headers is '-'."""
        request = Request.blank(path, method=method, environ={'REMOTE_ADDR': address})
        request.headers.update({name.replace('_', '-'): text for name, text in headers.items()})
        return request.get_response(self.http)

    def families(self):
        """Return {name: Prometheus family} of the agent's metrics."""
        return families(self.ask('/metrics').text, PREFIX, COUNTERS, GAUGES)

    def document(self, path):
        """Return the parsed JSON at `path`; fail on another status, NaN or Infinity."""
        answer = self.ask(path)
        assert (answer.status_int, answer.content_type) == (200, 'application/json')
        return json.loads(answer.body, parse_constant=lambda text: pytest.fail(text))


@pytest.fixture
def served(tmp_path):
    """Return a ServedAgent with an Instruction."""
    served = ServedAgent(tmp_path)
    for _round in range(3):
        round_of([served.one, served.other])
    return served


@pytest.fixture
def young(tmp_path):
    """Return a ServedAgent without an Instruction."""
    return ServedAgent(tmp_path)


def wsgi(text):
    """Return `text` as WSGI has it in a header: its UTF-8 bytes decoded as Latin-1."""
    return text.encode().decode('latin-1')


# -- admission


@pytest.mark.parametrize('path', [*PAGES, '/nowhere', *CHANGING])
def test_an_http_client_of_another_host_needs_the_key(served, path):
    for key in ({}, {'X_Lb_Key': 'guessed'}):
        assert served.ask(path, address=REMOTE, **key).status_int == 403
        assert served.ask(path, Host='evil.example:6209', **key).status_int == (
            200 if path == '/' else 403)
    assert served.ask(path, X_Forwarded_For='127.0.0.1').status_int == 403
    with_key = served.ask(path, address=REMOTE, Host='n1.example', X_Lb_Key=wsgi(KEY))
    assert with_key.status_int in (200, 404, 405)


@pytest.mark.parametrize('path', PAGES)
def test_an_http_client_of_this_host_needs_no_key(served, path):
    for host in ('127.0.0.1:6209', '[::1]:6209', 'localhost'):
        assert served.ask(path, Host=host).status_int == 200
    head = served.ask(path, 'HEAD')
    assert (head.status_int, head.body) == (200, b'')


@pytest.mark.parametrize('path', PAGES)
@pytest.mark.parametrize('method', ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
def test_documents_refuse_methods_other_than_get_and_head(served, path, method):
    assert served.ask(path, method).status_int == 405


@pytest.mark.parametrize('path', ['/v1', '/v1/', '/v1/cluster/', '//', '/v1/Cluster', '/%ff',
                                  '/v1/%ff', '/v1/cluster%00', '/../etc/passwd', '/page'])
def test_an_unknown_path_is_404_with_a_list_of_known_paths(served, path):
    answer = served.ask(path)
    assert answer.status_int == 404
    assert '/v1/cluster' in answer.text


def test_the_pages_content_security_policy_is_default_src_none(served):
    answer = served.ask('/')
    assert (answer.content_type, answer.charset) == ('text/html', 'utf-8')
    assert answer.headers['Content-Security-Policy'].startswith("default-src 'none'; ")


# -- drain and undrain


def test_drain_needs_a_post_with_a_header_that_no_web_page_sends(served):
    for path in CHANGING:
        assert served.ask(path).status_int == 405
        assert served.ask(path, 'POST').status_int == 403
        assert served.ask(path, 'POST', X_Lb_Key='guessed').status_int == 403
    assert served.drained == []


def test_a_post_drains_the_node_and_another_one_undrains_it(served):
    for path, drained in (('/v1/drain', True), ('/v1/undrain', False)):
        answer = served.ask(path, 'POST', **{CHANGE_HEADER: '1'})
        assert answer.json == {'node': 'node-1', 'state': 'up'}
        assert served.drained.pop() is drained
        assert served.ask(path, 'POST', REMOTE, X_Lb_Key=wsgi(KEY)).status_int == 200
        assert served.drained.pop() is drained


def test_a_drain_that_fails_is_503_with_the_reason(served):
    place = pathlib.Path('/proc/nowhere/drained')
    served.http._drain = lambda yes: place.touch()
    answer = served.ask('/v1/drain', 'POST', **{CHANGE_HEADER: '1'})
    assert answer.status_int == 503
    assert f'{place}: No such file or directory' in answer.text


# -- health


def test_healthz_is_503_without_a_valid_instruction(young):
    answer = young.ask('/healthz', address=REMOTE)
    assert (answer.status_int, answer.text) == (503, 'no instruction\n')
    young.one.tick()
    assert young.ask('/healthz', address=REMOTE).text == 'ok\n'
    young.one.now += 5.0
    assert young.ask('/healthz').status_int == 503


def test_healthz_is_503_while_a_component_of_the_agent_fails(served):
    served.one.agent.fault('conf', 'not reloaded: because')
    answer = served.ask('/healthz')
    assert (answer.status_int, answer.text) == (503, 'not reloaded: because\n')
    served.one.agent.fault('conf', None)
    assert served.ask('/healthz').status_int == 200


# -- documents


@pytest.mark.parametrize('path', DOCUMENTS)
def test_without_an_instruction_documents_are_200_or_503(young, path):
    answer = young.ask(path)
    assert answer.status_int in (200, 503)
    if answer.status_int == 503:
        assert answer.json == {'error': 'there is no instruction yet'}


@pytest.mark.parametrize('path', DOCUMENTS)
def test_documents_are_strict_json_without_nan_or_infinity(served, path):
    assert served.document(path)['format'] == 1
    assert served.document('/v1/dns') == NAME_SERVER


def test_json_shows_a_threshold_that_is_off_as_the_text_off(tmp_path):
    served = ServedAgent(tmp_path)
    plan = served.one.options.plan._replace(reject=float('inf'), critical=float('inf'))
    served.one.agent.options = served.one.options.__class__(**{
        **vars(served.one.options), 'plan': plan})
    served.one.tick()
    document = served.document('/v1/why')['options']
    assert (document['reject'], document['critical'], document['band']) == ('off', 'off', plan.band)


def test_the_cluster_document_has_an_entry_for_each_node(served):
    document = served.document('/v1/cluster')
    assert [node['node'] for node in document['nodes']] == ['node-1', 'node-2']
    assert (version(), served.one.agent.instruction.generation) == (
        document['version'], document['generation'])
    assert sum(node['dns'] for node in document['nodes']) == pytest.approx(1)
    assert document['nodes'][1]['address'] == '10.0.0.2:6208'
    assert [node['flows'] for node in document['nodes']] == [{}, {}]
    served.one.now += 4.0
    served.one.agent.plan(served.one.now)
    assert served.document('/v1/cluster')['nodes'][1]['state'] == 'late'
    served.one.now += 1.0
    served.one.agent.plan(served.one.now)
    assert served.document('/v1/cluster')['nodes'][1]['state'] == 'gone'


def test_the_cluster_document_has_rates_of_delegated_requests(served):
    served.other.agent.monitor._flows = lambda now: {'node-1': 12.5, 'node-7': 0.25}
    for _round in range(2):
        round_of([served.one, served.other])
    assert [node['flows'] for node in served.document('/v1/cluster')['nodes']] == [
        {}, {'node-1': 12.5, 'node-7': 0.25}]


def test_the_instruction_document_equals_the_agents_instruction(served):
    document = json.loads(served.ask('/v1/instruction').body)
    rows = json.dumps(document | {'parts': [list(part.values()) for part in document['parts']]})
    assert instruction.decode(rows, document['boot']) == (served.one.agent.instruction, None)
    assert list(document['parts'][0]) == list(NodeInstruction._fields)


def test_v1_report_returns_the_agents_signed_report(served):
    assert served.ask('/v1/report').body == served.one.agent.datagram


@pytest.mark.parametrize('since', ['x', 'nan', 'inf', '-inf', '1e999', '', '%ff', '1,5', '0x1'])
def test_a_history_request_with_a_wrong_start_time_is_400(served, since):
    answer = served.ask('/v1/history?since=' + since)
    assert answer.status_int == 400
    assert 'since: must be an instant' in answer.text


def test_the_history_has_only_points_after_the_requested_time(served):
    for _round in range(12):
        round_of([served.one, served.other])
    whole = served.document('/v1/history')['nodes']['node-2']
    began = whole[0][0]
    later = served.document(f'/v1/history?since={began}')['nodes']['node-2']
    assert whole == served.document('/v1/history?since=-5')['nodes']['node-2']
    assert [point for point in whole if point[0] > began] == later
    assert 1 <= len(later) == len(whole) - 1
    assert served.document('/v1/history?since=1e15')['nodes'] == {}


# -- metrics


def test_without_an_instruction_the_dns_share_metric_is_empty(young):
    assert young.families()['node_dns_share'].samples == []


def test_the_agents_metrics_have_its_current_values(served):
    served.one.receive(served.other, b'garbage')
    parsed = served.families()
    assert [sample.value for sample in parsed['reports_accepted'].samples] == [3.0]
    sample, = parsed['reports_refused'].samples
    assert (sample.labels, sample.value) == ({'reason': 'forged'}, 1.0)
    assert {sample.labels['node']: sample.value
            for sample in parsed['node_dns_share'].samples} == {
                part.node: part.dns for part in served.one.agent.instruction.nodes}
    assert parsed['bytes_sent'].samples[0].value == 3.0
    assert [{'version': version(), 'rules': 'balanced'}] == [
        sample.labels for sample in parsed['info'].samples]


# -- pulled by another agent


def test_fetching_a_report_from_a_peer_sends_the_http_key(server):
    server.response = 200, b'report'
    assert fetch_report('127.0.0.1', server.server_port, KEY, 5.0) == b'report'
    server.response = 403, b'report'
    assert fetch_report('127.0.0.1', server.server_port, '', 5.0) is None
    assert server.requests == [('/v1/report', wsgi(KEY)), ('/v1/report', None)]


def test_a_peers_response_is_read_only_up_to_a_limit(server):
    server.response = 200, b'x' * 100_000
    assert len(fetch_report('127.0.0.1', server.server_port, KEY, 5.0)) == 1201


def test_fetching_from_a_host_that_does_not_answer_returns_none(server):
    server.socket.close()
    assert fetch_report('127.0.0.1', server.server_port, KEY, 0.5) is None
    assert fetch_report('no.such.name.invalid', 1, KEY, 0.5) is None
