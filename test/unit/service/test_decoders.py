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
from swift_lb.service.decoders import WAIT, HostDecoders
from swift_lb.service.documents import why
from swift_lb.service.exposition import decoders as gauges
from swift_lb.service.options import read
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack
from swift_lb.wire.image_state import of_metrics

STATE = ImageState(0.25, 2, 8e-8, 1.4e-7, 5e-9, 1.6e-7)
ANSWER = pack(STATE._asdict() | {'have': {}, 'queued': 1})


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
        decoders.ask(path)
        decoders.ask(path)
        assert (STATE, None, {}) == (decoders.state, decoders.fault, decoders.unknown())
    assert [{'do': 'quote', 'keys': []}] * 2 == questions
    for _interval in range(3):
        decoders.ask(path)
        assert decoders.state is None
    assert [('image', 'swift-lb-image does not answer at lb-image.sock: No such file or directory')
            ] == log
    decoders.ask(None)
    assert (None, None, {}) == (decoders.state, decoders.fault, decoders.unknown())


@pytest.mark.parametrize('answer', [
    b'', ANSWER[:20], b'x' * 100, pack({'error': 'no', 'status': '503'}), pack({'wait': 1.0}),
    pack(STATE._asdict(), b'body'), pack(STATE._asdict() | {'workers': 0})])
def test_what_is_no_answer_to_a_quote_is_no_state(path, answer):
    decoders, log = make()
    with daemon(path, answer):
        decoders.ask(path)
    assert decoders.state is None
    assert decoders.unknown()['image_wait'] == decoders.fault == log[0][1]


def test_a_daemon_that_is_silent_holds_the_agent_up_for_a_moment(path):
    decoders, _log = make()
    with daemon(path, None):
        since = monotonic()
        decoders.ask(path)
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


@pytest.mark.parametrize(('section', 'socket_path'), [
    ('', None), ('[lb-image]', '/var/run/swift/lb-image.sock'),
    ('[lb-image]\nsocket = /run/x\nworkers = 3', '/run/x')])
def test_the_socket_is_that_of_the_section_of_the_daemon(conf, section, socket_path):
    assert socket_path == read(conf(f'[lb-agent]\nnode = n1\n{section}\n')).image_socket
