"""What a peer hands on is read as it comes: of objects, and of nothing that is read at once."""
import io

import pytest

from swift_lb.proxy.dispatch import fitting_reads
from swift_lb.proxy.dispatch.fitting_reads import FittingReads, is_read_in_pieces


class Slow(io.BytesIO):
    """A body whose reads take so many seconds a byte."""

    pace, now = 0.0, 0.0

    def read(self, size=-1):
        """Return all of `size` bytes, once they have come."""
        data = super().read(size)
        self.now += len(data) * self.pace
        return data


@pytest.fixture
def body(monkeypatch):
    """Return a Slow body of 100,000 bytes, by which the clock goes."""
    body = Slow(bytes(range(250)) * 400)
    monkeypatch.setattr(fitting_reads, 'monotonic', lambda: body.now)
    return body


def lengths(body):
    """Return how many bytes each read(65536) has returned, up to the end."""
    reads = FittingReads(body)
    pieces = [*iter(lambda: reads.read(65536), b'')]
    assert b''.join(pieces) == body.getvalue()
    return [len(piece) for piece in pieces]


def test_who_is_quick_is_soon_read_in_whole_pieces(body):
    assert lengths(body) == [4096, 8192, 16384, 32768, 38560]


def test_who_sends_a_kilobyte_a_second_is_never_waited_for_long(body):
    body.pace = 0.001
    found = lengths(body)
    assert found[:4] == [4096, 2048, 1024, 1024]
    assert set(found[2:-1]) == {1024}


def test_all_at_once_if_all_is_asked_for_and_the_rest_as_ever(body):
    reads = FittingReads(body)
    assert reads.read(10) == body.getvalue()[:10]
    assert reads.readline(5) == body.getvalue()[10:11]      # byte 10 is a line's end
    assert reads.read() == body.getvalue()[11:]
    assert reads.read(10) == b''


@pytest.mark.parametrize(('method', 'path', 'query', 'authorization', 'in_pieces'), [
    ('PUT', '/v1/a/c/o', '', '', True),
    ('PUT', '/v1/a/c/o/p', '', 'Bearer x', True),
    ('PUT', '/v1/a/c/o', 'multipart-manifest=put', '', False),
    ('PUT', '/v1/a/c/o', 'temp_url_sig=1', '', False),
    ('PUT', '/v1/a/c', '', '', False),
    ('PUT', '/bucket/key', '', '', False),
    ('PUT', '/v1/bucket/key', '', 'AWS4-HMAC-SHA256 Credential=x', False),
    ('POST', '/v1/a/c/o', '', '', False)])
def test_only_what_is_read_until_its_end(method, path, query, authorization, in_pieces):
    assert is_read_in_pieces({'REQUEST_METHOD': method, 'PATH_INFO': path, 'QUERY_STRING': query,
                              'HTTP_AUTHORIZATION': authorization}) is in_pieces
