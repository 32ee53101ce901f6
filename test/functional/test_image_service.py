"""A real swift-lb-image: what it does with bad images, bad clients, and workers that end."""
import os
import re
import signal
import socket
import stat
import struct
from pathlib import Path

import pytest
from support.image_fuzz import HOG_TILES, SLOW, ImageFuzz, hog
from support.jpeg2000 import encoded, noise, pixels_in
from support.lb_image import LbImageServer, run_question
from support.name_server import wait_until

from swift_lb.chains.chain import Region, Task
from swift_lb.wire.image_job import HEAD, MOST_BODY, pack

TASK = Task(Region(5, 6, 20, 30))


@pytest.fixture(scope='module')
def image():
    """Return a good image."""
    return encoded(noise('L', 64, 64), tile_size=(32, 32))


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    """Yield a daemon with two workers."""
    with LbImageServer(tmp_path_factory.mktemp('image'), workers=2, seconds=1) as running:
        yield running


@pytest.fixture
def single(tmp_path):
    """Yield a daemon with one worker, and room for one job that waits."""
    with LbImageServer(tmp_path, workers=1, queue=1) as running:
        yield running


def is_good(answer, image):
    """Return whether the answer to run_question(TASK, form='raw') has the right pixels."""
    return answer[0].get('ok') and answer[1].endswith(pixels_in(image, TASK).tobytes())


def test_hundreds_of_mutated_images_are_answered_and_disturb_nothing(server):
    fuzz = ImageFuzz(server, 7)
    fuzz.run(600)
    assert fuzz.faults == []
    assert sum(fuzz.outcomes.values()) == 600
    assert len(fuzz.outcomes) > 15
    assert fuzz.good > 5


def test_workers_may_write_no_file_start_no_process_and_gain_no_rights(server):
    worker, = server.workers()[:1]
    limits, status = (Path(f'/proc/{worker}/{name}').read_text() for name in ('limits', 'status'))
    for name in ('file size', 'core file size', 'processes'):
        assert re.search(rf'^Max {name} +0 +0 ', limits, re.M)
    assert 'NoNewPrivs:\t1' in status


def test_an_image_that_takes_too_long_is_refused_and_its_worker_replaced(server, image):
    before, replaced = server.workers(), sum(first_of(server)['replaced'].values())
    with server.connected() as slow, server.connected() as other:
        slow.send(run_question(Task()), hog(HOG_TILES))
        assert is_good(other.ask(run_question(TASK, form='raw'), image), image)
        answer, body = slow.answer()
        # by the processor's time, or, on a busy machine, by the clock
        assert (answer, body) in (({'error': 'the image takes more than 1 s to decode',
                                    'status': '422 Unprocessable Entity'}, b''), (SLOW, b''))
        after = slow.status()['replaced']
        assert sum(after.get(why, 0) for why in ('cpu', 'hung')) == replaced + 1
    wait_until(lambda: len(set(server.workers()) - set(before)) == 1)


def test_a_worker_that_is_killed_fails_no_job(single, image):
    worker, = single.workers()
    with single.connected() as first, single.connected() as second:
        os.kill(worker, signal.SIGSTOP)
        for client in first, second:
            client.send(run_question(TASK, form='raw'), image)
            wait_until(lambda: first_of(single)['running'] == 1)
        os.kill(worker, signal.SIGKILL)
        assert is_good(first.answer(), image)
        assert is_good(second.answer(), image)
    assert first_of(single)['replaced'] == {'crash': 1}


def test_a_free_worker_that_is_killed_fails_no_job(single, image):
    worker, = single.workers()
    os.kill(worker, signal.SIGSEGV)
    wait_until(lambda: worker not in single.workers())
    with single.connected() as client:
        for _turn in range(3):
            assert is_good(client.ask(run_question(TASK, form='raw'), image), image)


def first_of(server):
    """Return the daemon's document on its state, over a connection of its own."""
    with server.connected() as client:
        return client.status()


def test_a_full_queue_is_told_and_a_job_whose_client_has_gone_is_left_out(single, image):
    worker, = single.workers()
    os.kill(worker, signal.SIGSTOP)
    with single.connected() as first, single.connected() as third, single.connected() as fourth:
        first.send(run_question(TASK, form='raw'), image)
        wait_until(lambda: first_of(single)['running'] == 1)
        with single.connected() as second:
            second.send(run_question(TASK), image)
            wait_until(lambda: first_of(single)['queued'] == 1)
            assert first_of(single)['wait'] > 0
            answer, _body = third.ask(run_question(TASK), image)
            assert answer['status'] == '503 Service Unavailable'
        os.kill(worker, signal.SIGCONT)
        assert is_good(first.answer(), image)
        assert is_good(fourth.ask(run_question(TASK, form='raw'), image), image)
    document = first_of(single)
    assert [document[name] for name in ('done', 'refused', 'queued', 'wait')] == [2, 1, 0, 0]


def test_a_cut_that_is_too_large_is_refused_and_the_connection_goes_on(server, image):
    with server.connected() as client:
        begin = pack(run_question(TASK))
        client.socket.sendall(HEAD.pack(len(begin) - HEAD.size, MOST_BODY + 1)
                              + begin[HEAD.size:])
        piece = bytes(1 << 20)
        for _turn in range(MOST_BODY >> 20):
            client.socket.sendall(piece)
        client.socket.sendall(b'x')
        assert client.answer()[0]['status'] == '413 Content Too Large'
        assert is_good(client.ask(run_question(TASK, form='raw'), image), image)


@pytest.mark.parametrize('data', [
    b'\0\0', struct.pack('>II', 30, 9) + b'{"do": ', pack({'do': 'run'}, bytes(99))[:-3],
    struct.pack('>II', 1 << 20, 0), struct.pack('>II', 3, 0) + b'[1]', b'GET / HTTP/1.1\r\n\r\n'])
def test_a_client_that_sends_half_a_message_or_none_disturbs_nobody(server, image, data):
    with server.connected() as bad, server.connected() as good:
        bad.socket.sendall(data)
        assert is_good(good.ask(run_question(TASK, form='raw'), image), image)
        bad.socket.shutdown(socket.SHUT_WR)
        with pytest.raises((EOFError, OSError)):
            bad.answer()


@pytest.mark.parametrize(('question', 'sentence'), [
    ({}, 'do must be one of '), ({'do': ['run']}, 'do must be one of '),
    (run_question(TASK) | {'chain': 'tiff'}, "there is no chain 'tiff'"),
    (run_question(TASK) | {'step': 'index'}, 'chain, step and form must be names'),
    (run_question(TASK) | {'form': 'gif'}, "'gif' is not a form of pixels"),
    (run_question(TASK) | {'task': [0, 0, 1, 1]}, 'task must be '),
    (run_question(TASK) | {'task': [0, -1, 1, 1, 0]}, 'task must be '),
    (run_question(TASK, 'coefficients', overview=0), 'overview must be '),
    (run_question(TASK, key='../../etc'), 'key must be '),
    (run_question(TASK, spent=float('nan')), 'spent must be '),
    ({'do': 'quote', 'keys': 7}, 'keys must be '), ({'do': 'where'}, 'request must be ')])
def test_a_wrong_question_gets_a_sentence(server, image, question, sentence):
    with server.connected() as client:
        answer, body = client.ask(question, image)
    assert answer['error'].startswith(sentence)
    assert (answer['status'], body) == ('400 Bad Request', b'')


def test_a_quote_has_the_rates_and_the_wait(server, image):
    with server.connected() as client:
        client.ask(run_question(TASK, form='raw'), image)
        answer, _body = client.ask({'do': 'quote', 'keys': []})
    assert (answer['have'], answer['wait'], answer['workers']) == ({}, 0.0, 2)
    assert all(answer[kind] > 0 for kind in ('decode', 'png', 'raw', 'coefficients'))


def test_the_socket_is_of_the_group_and_of_one_daemon_only(server):
    assert stat.S_IMODE(os.stat(server.path).st_mode) == 0o660
    second = server.start()
    _out, err = second.communicate(timeout=60)
    assert second.returncode == 1
    assert err.decode() == f'-c: socket = {server.path}: another daemon serves there\n'
    assert first_of(server)['workers'] == 2


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
def test_the_workers_end_with_the_daemon_and_another_one_takes_its_place(tmp_path, image, number):
    server = LbImageServer(tmp_path, workers=2)
    with server, server.connected() as idle:
        workers = server.workers()
        os.kill(workers[0], signal.SIGSTOP)
        idle.send(run_question(TASK, form='raw', key='ab' * 32), image)     # for that worker
        assert server.end(number) == (0 if number == signal.SIGTERM else -number)
        wait_until(lambda: not any(os.path.exists(f'/proc/{pid}') for pid in workers))
        with pytest.raises((EOFError, OSError)):
            idle.ask({'do': 'status'})
        assert os.path.exists(server.path) == (number == signal.SIGKILL)
        with server, server.connected() as client:
            assert is_good(client.ask(run_question(TASK, form='raw'), image), image)
