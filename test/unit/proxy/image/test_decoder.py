"""Questions to swift-lb-image, by a real unix socket whose other end the test plays."""
import socket
import threading

import pytest

from swift_lb.proxy.image import decoder as image_decoder
from swift_lb.proxy.image.decoder import SILENT, Decoder, DecoderError
from swift_lb.wire.image_job import HEAD, pack


class Daemon:
    """Listens at a path, and answers each connection's questions by `script`, a list of bytes."""

    def __init__(self, path, *scripts):
        self.path, self.connections = str(path), 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        threading.Thread(target=self._serve, args=(scripts,), daemon=True).start()

    def _serve(self, scripts):
        for script in scripts:
            connection, _address = self._listener.accept()
            self.connections += 1
            for answer in script:
                if not connection.recv(1 << 20):
                    break
                connection.sendall(answer)
            connection.close()
        self._listener.close()


def still():
    """Return an instant."""
    return 0.0


ANSWER = pack({'ok': True}, b'body')


def test_a_connection_is_used_again(tmp_path):
    daemon = Daemon(tmp_path / 's', [ANSWER, ANSWER])
    decoder = Decoder(daemon.path, 5.0, still)
    assert [decoder.ask({'do': 'get'}) for _time in range(2)] == 2 * [({'ok': True}, b'body')]
    assert daemon.connections == 1


def test_a_connection_that_the_daemon_has_closed_is_not_used(tmp_path):
    daemon = Daemon(tmp_path / 's', [ANSWER], [ANSWER])
    decoder = Decoder(daemon.path, 5.0, still)
    for _time in range(2):
        assert decoder.ask({'do': 'get'}) == ({'ok': True}, b'body')
        assert decoder._idle[0].recv(1, socket.MSG_PEEK) == b''     # waits for its end
    assert daemon.connections == 2


@pytest.mark.parametrize('answer', [
    b'', b'\0\0', HEAD.pack(2, 4) + b'{}', HEAD.pack(2, 0) + b'[]', HEAD.pack(1 << 31, 0),
    HEAD.pack(3, 0) + b'{x}'])
def test_a_half_or_wrong_answer_is_an_error_and_ends_the_connection(tmp_path, answer):
    decoder = Decoder(Daemon(tmp_path / 's', [answer]).path, 5.0, still)
    with pytest.raises(DecoderError):
        decoder.ask({'do': 'get'})
    assert decoder._idle == []


def test_a_daemon_that_is_absent_or_silent_is_an_error(tmp_path):
    with pytest.raises(DecoderError, match='No such file'):
        Decoder(str(tmp_path / 'none'), 5.0, still).quote([], {}, 0.0)
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(str(tmp_path / 's'))
    silent.listen()
    with pytest.raises(DecoderError, match='timed out'):
        Decoder(str(tmp_path / 's'), 0.01, still).ask({'do': 'run'})


def test_a_daemon_that_was_silent_is_not_asked_for_some_seconds(tmp_path):
    times = iter([0.0, 0.0, 0.0, SILENT - 0.1, SILENT])
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(str(tmp_path / 's'))
    silent.listen()
    decoder = Decoder(str(tmp_path / 's'), 0.01, lambda: next(times))
    for patience in (None, 0.01):       # a job may have waited for others
        with pytest.raises(DecoderError, match='timed out'):
            decoder.ask({'do': 'run'}, patience=patience)
    with pytest.raises(DecoderError, match='silent a moment ago'):
        decoder.ask({'do': 'run'})
    silent.close()
    with pytest.raises(DecoderError, match='refused'):
        decoder.ask({'do': 'run'})


def test_a_daemon_that_accepts_nothing_costs_no_processor_time(tmp_path, monkeypatch):
    pauses = []
    monkeypatch.setattr(image_decoder, 'sleep', pauses.append)
    with socket.socket(socket.AF_UNIX) as hung, socket.socket(socket.AF_UNIX) as other:
        hung.bind(str(tmp_path / 's'))
        hung.listen(0)
        other.connect(str(tmp_path / 's'))
        decoder = Decoder(str(tmp_path / 's'), 5.0, still)
        for sentence in ('accepts no connections', 'silent a moment ago'):
            with pytest.raises(DecoderError, match=sentence):
                decoder.ask({'do': 'get'})
    assert sum(pauses) == pytest.approx(1.0)
