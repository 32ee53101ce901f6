"""What is written, and how what is read is verified: COSBench's content and its hashCheck."""
import hashlib

from swift_lb.workload.connection import PIECE
from swift_lb.workload.failure import OperationError

BLOCK = 4096   # COSBench repeats one random block of this size
GUARD = b'!!!!'
MARK = 40      # bytes: guard, MD5 in hex, guard
LETTERS = bytes(ord('a') + number % 26 for number in range(256))
ZEROS = bytes(PIECE)


def random_block(rng):
    """Return BLOCK bytes of a-z: compressible, and the same all through an object."""
    return rng.randbytes(BLOCK).translate(LETTERS)


def body(size, rng, content='random', hash_check=False):
    """Return a function that gives an object's content, `size` bytes, each time it is called.

    Small contents are bytes, larger ones an iterator of pieces.
    """
    block = ZEROS if content == 'zero' else random_block(rng)
    if hash_check and size > MARK:
        return _marked(size, block)
    if size <= PIECE:
        return _same((block * -(-size // len(block)))[:size])
    return lambda: pieces(size, block)


def pieces(size, block):
    """Yield `size` bytes of repeated `block`, PIECE bytes at a time."""
    piece = memoryview(block * (PIECE // len(block)))
    for _ in range(size // PIECE):
        yield piece
    if size % PIECE:
        yield piece[:size % PIECE]


def _same(whole):
    return lambda: whole


def _marked(size, block):
    """The last MARK bytes hold the MD5 of all before them; the size stays what it was."""
    if size <= PIECE:
        return _same(b''.join(with_mark(pieces(size - MARK, block))))
    return lambda: with_mark(pieces(size - MARK, block))  # of 1 GB the MD5 takes two seconds


def with_mark(parts):
    """Yield `parts` of an object and then its mark, which is worked out on the way."""
    digest = hashlib.md5(usedforsecurity=False)
    for part in parts:
        digest.update(part)
        yield part
    yield GUARD + digest.hexdigest().encode() + GUARD


def of_file(file, hash_check=False):
    """Return (bytes, function that gives the content anew) of a file, a pathlib.Path.

    With `hash_check` its mark follows the file, as in COSBench. Raises OperationError.
    """
    try:
        size = file.stat().st_size
    except OSError as err:
        raise OperationError(f'filewrite: {err.strerror}') from None
    if hash_check:
        return size + MARK, lambda: with_mark(_file_pieces(file, size))
    return size, lambda: _file_pieces(file, size)


def _file_pieces(file, size):
    """Yield as much of a file as was promised; what it has grown by would be the next request."""
    with file.open('rb') as source:
        while size and (piece := source.read(min(size, PIECE))):
            size -= len(piece)
            yield piece
    if size:
        raise OperationError('filewrite: the file has become shorter')


class Verifier:
    """Takes an object's bytes as they come and says at the end whether its mark is right."""

    def __init__(self):
        self._digest, self._tail = hashlib.md5(usedforsecurity=False), b''

    def take(self, data):
        """Take the next bytes; the last MARK of all are held back."""
        data = self._tail + data
        self._digest.update(data[:-MARK])
        self._tail = data[-MARK:]

    def verify(self):
        """Raise OperationError if the object has a mark and is not what was written.

        An object without one passes, as in COSBench.
        """
        has_mark = len(self._tail) == MARK and self._tail.startswith(GUARD)
        if has_mark and self._tail != GUARD + self._digest.hexdigest().encode() + GUARD:
            raise OperationError('hashCheck: not what was written')
