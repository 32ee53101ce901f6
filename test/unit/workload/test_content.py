"""The content of objects, and hashCheck: the MD5 that COSBench writes in the last 40 bytes."""
import hashlib
import itertools
import random
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.workload import content
from swift_lb.workload.connection import PIECE
from swift_lb.workload.failure import OperationError
from swift_lb.workload.storage import chunks

RNG = random.Random(1)
SIZES = (0, 1, 39, 40, 41, 4000, 4096, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 17)


def whole(make):
    """Return the content that `make()` returns, bytes or pieces, as bytes."""
    made = make()
    return made if type(made) is bytes else b''.join(made)


@pytest.mark.parametrize('size', SIZES)
@pytest.mark.parametrize('kind', ['random', 'zero'])
@pytest.mark.parametrize('hash_check', [False, True])
def test_an_object_repeats_a_block_and_ends_with_an_md5_trailer(size, kind, hash_check):
    make = content.body(size, RNG, kind, hash_check)
    text = whole(make)
    assert len(text) == size
    assert whole(make) == text      # it can be sent again
    if hash_check and size > 40:
        text, mark = text[:-40], text[-40:]
        assert mark == b'!!!!' + hashlib.md5(text).hexdigest().encode() + b'!!!!'
    block = text[:4096]
    assert re.fullmatch(b'[a-z]*' if kind == 'random' else b'\0*', block)
    assert text == (block * (size // 4096 + 1))[:len(text)]
    assert len(block) < 4096 or len(set(block)) == (26 if kind == 'random' else 1)


def verify(parts):
    """Check the MD5 trailer of an object, given in `parts`; OperationError if it is wrong."""
    verifier = content.Verifier()
    for part in parts:
        verifier.take(part)
    verifier.verify()


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8))
def test_verification_does_not_depend_on_the_size_of_pieces(data, cuts):
    text = data + b'!!!!' + hashlib.md5(data).hexdigest().encode() + b'!!!!'
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    verify(text[low:high] for low, high in itertools.pairwise(edges))


@given(st.binary(max_size=300))
@example(b'x' * 40)
def test_an_object_without_an_md5_trailer_passes_verification(data):
    verify([data])


@given(st.binary(min_size=1, max_size=200), st.integers(0, 10_000))
def test_a_changed_object_fails_verification(data, where):
    text = bytearray(data + b'!!!!' + hashlib.md5(data).hexdigest().encode() + b'!!!!')
    text[where % len(data)] ^= 1
    with pytest.raises(OperationError, match='hashCheck: not what was written'):
        verify([bytes(text)])


def test_a_file_is_sent_with_an_md5_trailer(tmp_path):
    file = tmp_path / 'report.pdf'
    file.write_bytes(b'abc' * PIECE)
    size, body = content.of_file(file)
    assert b''.join(body()) == file.read_bytes()
    marked_size, marked = content.of_file(file, hash_check=True)
    assert marked_size == size + 40 == len(b''.join(marked()))
    verify(marked())


def test_the_md5_of_a_large_object_is_computed_while_sending():
    # its MD5 beforehand would stop all workers of a driver meanwhile: an hour for this one
    parts = content.body(10**12, RNG, hash_check=True)()
    assert PIECE == len(next(iter(parts)))


def test_a_file_that_grows_is_sent_with_its_announced_size(tmp_path):
    file = tmp_path / 'growing.log'
    file.write_bytes(b'12345')
    size, body = content.of_file(file)
    file.write_bytes(b'1234567')
    assert (5, b'12345') == (size, b''.join(body()))
    file.write_bytes(b'123')
    with pytest.raises(OperationError, match='has become shorter'):
        b''.join(body())


def test_a_filewrite_of_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(OperationError, match='filewrite: No such file'):
        content.of_file(tmp_path / 'gone')


@pytest.mark.parametrize('size', SIZES)
def test_a_body_in_chunked_transfer_coding_can_be_decoded(size):
    coded, text = b''.join(chunks(content.body(size, RNG)())), b''
    while True:
        length, _line, coded = coded.partition(b'\r\n')
        if not int(length, 16):
            break
        text, coded = text + coded[:int(length, 16)], coded[int(length, 16) + 2:]
    assert len(text) == size
    assert coded == b'\r\n'
