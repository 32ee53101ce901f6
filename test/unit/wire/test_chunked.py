"""The chunked coding: any cut gives the same result, and ambiguous input is refused."""
import http.client
import io
import itertools
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.errors import WireError
from swift_lb.wire.chunked import LAST, MAX_LINE, MAX_TRAILERS, ChunkDecoder, chunk

PIECES = st.lists(st.binary(min_size=1, max_size=300), max_size=6)
CUTS = st.lists(st.integers(0, 2000), max_size=8)
CHUNKED = st.lists(st.sampled_from(
    [b'0', b'1', b'5', b'a', b'F', b';', b'=', b'\r\n', b'\r', b'\n', b' ', b'\t', b'\0', b'x: y',
     b'12345', b'-', b'+', b'0x', b'_', b'ffffffffffffffff', chunk(b'abc'), LAST]),
    max_size=12).map(b''.join)


def cut(data, cuts):
    """Return [bytes]: `data` cut at the offsets `cuts`, each modulo its length plus 1."""
    places = sorted({0, len(data), *(place % (len(data) + 1) for place in cuts)})
    return [data[begin:end] for begin, end in itertools.pairwise(places)]


def in_steps(data, step):
    """Return `data` in parts of `step` bytes."""
    return [data[at:at + step] for at in range(0, len(data), step)]


def read(parts):
    """Return (decoded body, whether it has ended, bytes after its end) or 'refused'."""
    decoder, body = ChunkDecoder(), []
    try:
        for part in parts:
            pieces = decoder.feed(part)
            assert all(pieces)
            body += pieces
    except WireError:
        return 'refused'
    return b''.join(body), decoder.done, decoder.rest


@given(PIECES, CUTS)
def test_encoded_bodies_are_decoded_as_pythons_http_client_does(pieces, cuts):
    data = b''.join(map(chunk, pieces)) + LAST
    assert read(cut(data, cuts)) == (b''.join(pieces), True, b'')
    answer = http.client.HTTPResponse(SimpleNamespace(makefile=lambda _mode: io.BytesIO(
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + data)))
    answer.begin()
    assert answer.read() == b''.join(pieces)


@given(CHUNKED | st.binary(max_size=60), CUTS)
@example(b'5\r\nabcde\r\n0\r\nX: y\r\n\r\nHTTP/1.1 ', list(range(40)))
@example(b'5\r\nabcdeX\r\n', [9])
def test_any_split_of_the_input_gives_the_same_decoded_body(data, cuts):
    whole = read([data])
    assert read(cut(data, cuts)) == whole
    assert read(in_steps(data, 1)) == whole


def test_a_chunk_has_size_and_data_but_empty_data_gives_nothing():
    assert chunk(b'x' * 26) == b'1a\r\n' + b'x' * 26 + b'\r\n'
    assert chunk(b'') == b''


@pytest.mark.parametrize(('data', 'body'), [
    (b'0\r\n\r\n', b''), (b'000\r\n\r\n', b''), (b'3\r\nabc\r\n0\r\n\r\n', b'abc'),
    (b'00000003\r\nabc\r\n0\r\n\r\n', b'abc'), (b'A\r\n0123456789\r\n0\r\n\r\n', b'0123456789'),
    (b'3;x\r\nabc\r\n0;y=1\r\n\r\n', b'abc'), (b'3 ;x="a;b"\r\nabc\r\n0\r\n\r\n', b'abc'),
    (b'3\t;\r\nabc\r\n0\r\n\r\n', b'abc'), (b'3\r\n0\r\n\r\n0\r\n\r\n', b'0\r\n'),
    (b'0\r\nX: y\r\nY: z\r\n\r\n', b''), (b'0\r\nContent-Length: 5\r\n\r\n', b'')])
def test_correctly_chunked_bodies_are_decoded(data, body):
    assert read([data]) == (body, True, b'') == read([data[:4], data[4:]])


@pytest.mark.parametrize('data', [
    b'\r\n', b'\r\n0\r\n\r\n', b'g\r\n', b'-1\r\n', b'+1\r\nx\r\n', b'0x1\r\nx\r\n', b'1_0\r\n',
    b' 1\r\nx\r\n', b'1 \r\nx\r\n', b'1\t\r\nx\r\n', b';x\r\n', b'1,\r\n', b'1\0\r\n',
    b'1\nx\r\n', b'1\r\r\nx', b'1;a\rb\r\nx', b'1;a\nx\r\n', b'1;a\0\r\nx', b'0\n\r\n',
    b'10000000000000000\r\n', b'00000000000000001\r\nx\r\n', '\u0661\r\n'.encode(),
    b'1\r\nxy\r\n', b'1\r\nx\n', b'1\r\nx\r0\r\n', b'1\r\nx0\r\n\r\n', b'2\r\nx\r\n0\r\n\r\n',
    b'0\r\n\n', b'0\r\nX: y\n\r\n', b'0\r\nX: a\rb\r\n\r\n', b'0\r\nX: \0\r\n\r\n', b'0\r\n\r\r\n'])
def test_malformed_chunked_bodies_are_refused(data):
    assert read([data]) == 'refused'


@pytest.mark.parametrize('data', [
    b'', b'1', b'1\r', b'1\r\n', b'1\r\nx', b'1\r\nx\r', b'1\r\nx\r\n', b'0\r\n', b'0\r\n\r',
    b'0\r\nX: y\r\n', b'fffffffffffffffe\r\nx'])
def test_the_decoder_is_not_done_before_the_body_has_ended(data):
    body, done, rest = read([data])
    assert (done, rest) == (False, b'')
    assert body == (b'x' if b'x' in data else b'')


def test_bytes_after_the_end_of_a_body_are_kept():
    assert read([b'0\r\n\r\nHTTP', b'/1.1']) == (b'', True, b'HTTP/1.1')


def test_a_decoder_accepts_no_bytes_after_an_error():
    decoder = ChunkDecoder()
    with pytest.raises(WireError, match=r"b'x.*' is not the size of a chunk"):
        decoder.feed(b'x\r\n')
    with pytest.raises(WireError, match="earlier"):
        decoder.feed(LAST)
    assert not decoder.done


@pytest.mark.parametrize('step', [1, 1000, 10 ** 6])
@pytest.mark.parametrize(('before', 'after'), [
    (b'1;', b'\r\nx\r\n'), (b'0\r\n', b'\r\n'), (b'1;', b'')])
def test_a_size_or_trailer_line_longer_than_max_line_is_refused(before, after, step):
    room = MAX_LINE - len(before.rpartition(b'\n')[2]) - (2 if after else 1)
    for length, refused in ((room, False), (room + 1, True), (10 * room, True)):
        assert (read(in_steps(before + b'a' * length + after, step)) == 'refused') == refused


@pytest.mark.parametrize('step', [7, 10 ** 6])
def test_trailers_longer_than_max_trailers_are_refused(step):
    trailer = b'X: ' + b'y' * 59 + b'\r\n'
    for count, refused in ((MAX_TRAILERS // 64 - 1, False), (MAX_TRAILERS // 64, True)):
        data = b'0\r\n' + trailer * count + b'\r\n'
        assert (read(in_steps(data, step)) == 'refused') == refused


def test_input_that_lies_within_one_chunk_is_not_copied():
    decoder, data = ChunkDecoder(), b'x' * 65536
    decoder.feed(b'100000\r\n')
    piece, = decoder.feed(data)
    assert piece is data
