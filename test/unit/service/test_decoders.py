"""The agent asks swift-lb-image at a real socket, and is not held up by one that fails."""
import contextlib
import os
import socket
import threading

import pytest
from support.agent_stub import other_cluster
from support.one_agent import OneAgent

from swift_lb.clock import monotonic
from swift_lb.model import ImageState
from swift_lb.service import decoders as service_decoders
from swift_lb.service.decoders import WAIT, HostDecoders
from swift_lb.service.documents import why
from swift_lb.service.exposition import cached, parts
from swift_lb.service.exposition import decoders as gauges
from swift_lb.service.options import read
from swift_lb.wire.image_counts import ImageCounts
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack
from swift_lb.wire.image_state import of_metrics

STATE = ImageState(0.25, 2, 8e-8, 1.4e-7, 5e-9, 1.6e-7)
STATUS = STATE._asdict() | {'queued': 1, 'points': {'D2': 1, 'D4': 2}, 'saved_by_points': 0.5,
                            'cache': {'hits': 3, 'kept': 2, 'cheap': 1, 'failed': 0, 'saved': 0.25}}
ANSWER, NOW = pack(STATUS), 100.0


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Return the path of a unix socket, short enough to be one."""
    monkeypatch.chdir(tmp_path)
    return 'lb-image.sock'


@contextlib.contextmanager
def daemon(path, *answers):
    """Serve, to one connection each, these bytes in pieces; None leaves the question unanswered.

    Yields a list of the questions.
    """
    questions, over = [], threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def serve():
            for answer in answers:
                connection, _address = listener.accept()
                with connection:
                    text, _body = lengths(connection.recv(HEAD.size))
                    questions.append(message_of(connection.recv(text)))
                    if answer is None:
                        over.wait(10)
                        continue
                    connection.sendall(answer[:11])
                    connection.sendall(answer[11:])

        thread = threading.Thread(target=serve)
        thread.start()
        yield questions
        over.set()
        thread.join(10)
    os.unlink(path)


def make():
    log = []
    return HostDecoders(lambda *line: log.append(line)), log


def test_the_daemon_is_asked_and_its_end_is_logged_once(path):
    decoders, log = make()
    with daemon(path, ANSWER, ANSWER) as questions:
        decoders.ask(path, NOW)
        decoders.ask(path, NOW)
        assert (STATE, None, {}) == (decoders.state, decoders.fault, decoders.unknown())
    assert [{'do': 'status'}] * 2 == questions
    assert ImageCounts((0, 1, 0, 2), 3, 3, 0.5, 0.25) == decoders.rates.counts
    for _interval in range(3):
        decoders.ask(path, NOW)
        assert decoders.state is None
    assert [('image', 'swift-lb-image does not answer at lb-image.sock: No such file or directory')
            ] == log
    decoders.ask(None, NOW)
    assert (None, None, {}) == (decoders.state, decoders.fault, decoders.unknown())


def test_what_it_told_last_holds_while_it_is_asked(monkeypatch):
    decoders, _log = make()
    decoders.state, seen = STATE, []
    monkeypatch.setattr(service_decoders, 'answer_of', lambda _path: seen.append(
        decoders.state) or STATUS)
    decoders.ask('s', NOW)
    assert [STATE, STATE] == [*seen, decoders.state]


def test_what_the_daemon_keeps_has_metrics(path):
    decoders, _log = make()
    with daemon(path, pack(STATE._asdict() | {'cache': {
            'budget': 100, 'bytes': 7, 'evicted': 3, 'failed': 2}})):
        decoders.ask(path, NOW)
    assert [('cache_events', [(('cheap',), 0), (('evicted',), 3), (('failed',), 2),
                              (('corrupt',), 0)]),
            ('cache_bytes', [((), 7)]), ('cache_budget_bytes', [((), 100)])] == [
                *cached(decoders.cache)]
    decoders.ask(path, NOW)     # it has ended
    assert {()} == {tuple(numbers) for _name, numbers in cached(decoders.cache)}


@pytest.mark.parametrize('answer', [
    b'', ANSWER[:20], b'x' * 100, pack({'error': 'no', 'status': '503'}), pack({'wait': 1.0}),
    pack(STATE._asdict(), b'body'), pack(STATE._asdict() | {'workers': 0}),
    pack(STATUS | {'points': 3}), pack(STATUS | {'saved_by_points': -1})])
def test_what_is_no_status_is_no_state(path, answer):
    decoders, log = make()
    with daemon(path, answer):
        decoders.ask(path, NOW)
    assert decoders.state is None
    assert decoders.unknown()['image_wait'] == decoders.fault == log[0][1]
    assert decoders.unknown()['image_hits'] == decoders.fault


def test_a_daemon_that_is_silent_holds_the_agent_up_for_a_moment(path):
    decoders, _log = make()
    with daemon(path, None):
        since = monotonic()
        decoders.ask(path, NOW)
        assert WAIT <= monotonic() - since < 5.0
    assert decoders.fault == 'swift-lb-image does not answer at lb-image.sock in 0.25 s'


def test_a_report_has_the_decoders_as_long_as_there_are_any(tmp_path):
    one = OneAgent(tmp_path)
    reported = []
    for one.agent.decoders.state in (None, STATE, None):
        one.tick()
        reported.append(of_metrics(one.agent.report.metrics))
    assert [None, STATE, None] == reported
    one.agent.decoders.fault = 'it is down'
    assert why(one.agent, one.now)['unknown']['image_wait'] == 'it is down'


def test_the_decoders_of_this_host_and_of_other_clusters_have_metrics():
    others = [other_cluster('ucsb', image=STATE._asdict()), other_cluster('eu')]
    assert [('decoders', [((), 2)]), ('decoder_wait_seconds', [((), 0.25)]),
            ('cluster_decoders', [(('ucsb',), 2)]),
            ('cluster_decoder_wait_seconds', [(('ucsb',), 0.25)])] == [*gauges(STATE, others)]
    assert {()} == {tuple(values) for _name, values in gauges(None, others[1:])}


def test_a_report_has_the_rates_of_parts_with_all_else_that_it_has(tmp_path):
    long = {f'a{number}' * 16: 1.0 for number in range(9)}
    one = OneAgent(tmp_path, node='n' * 63, proxy=f'{"p" * 63}:8080',
                   values=dict.fromkeys((*long, 'disk', 'load'), 0.123457))
    decoders = one.agent.decoders
    decoders.state = STATE._replace(wait=0.123457, decode=1.23457e-8)
    for now, count in ((0.0, 0), (7.0, 3)):
        decoders.rates.add(ImageCounts((count,) * 4, count, count, count, count), now)
    one.tick()
    assert (0.428571, 0.5, 0.857143) == tuple(
        one.agent.report.metrics[name] for name in ('image_d4', 'image_hits', 'image_saved'))


def test_the_counts_of_parts_are_metrics():
    assert [('image_parts', [(('D1',), 1), (('D2',), 2), (('D3',), 3), (('D4',), 4)]),
            ('image_results', [(('kept',), 5), (('made',), 6)]),
            ('image_saved_seconds', [(('point',), 7), (('kept',), 8)])] == [
        *parts(ImageCounts((1, 2, 3, 4), 5, 6, 7, 8))]
    assert [[], [], []] == [values for _name, values in parts(None)]


@pytest.mark.parametrize(('section', 'socket_path'), [
    ('', None), ('[lb-image]', '/var/run/swift/images.sock'),
    ('[lb-image]\nsocket = /run/x\nworkers = 3', '/run/x')])
def test_the_socket_is_that_of_the_section_of_the_daemon(conf, section, socket_path):
    assert socket_path == read(conf(f'[lb-agent]\nnode = n1\n{section}\n')).image_socket
