"""The content of written objects, and its verification: COSBench's content and hashCheck."""
import hashlib

from swift_lb.workload.connection import PIECE
from swift_lb.workload.failure import OperationError

BLOCK = 4096   # COSBench repeats one random block of this size
GUARD = b'!!!!'
MARK = 40      # bytes of the trailer: guard, MD5 in hex, guard
LETTERS = bytes(ord('a') + number % 26 for number in range(256))
ZEROS = bytes(PIECE)


def random_block(rng):
    """Return BLOCK random bytes, letters a-z: objects consist of repetitions of such a block."""
    return rng.randbytes(BLOCK).translate(LETTERS)


def body(size, rng, content='random', hash_check=False):
    """Return a function that returns the content of an object, `size` bytes, at each call.

    Contents of up to PIECE bytes are bytes, larger ones an iterator of pieces. `content` is
    'random' or 'zero'. With `hash_check` the last MARK bytes are a trailer with the MD5 of all
    bytes before it.
    """
    block = ZEROS if content == 'zero' else random_block(rng)
    marked = hash_check and size > MARK
    if size <= PIECE:
        whole = (block * -(-size // len(block)))[:size - MARK * marked]
        whole = b''.join(with_mark([whole])) if marked else whole
        return lambda: whole
    if marked:
        return lambda: with_mark(pieces(size - MARK, block))   # the MD5 of 1 GB takes two seconds
    return lambda: pieces(size, block)


def pieces(size, block):
    """Yield `size` bytes of repeated `block`, PIECE bytes at a time."""
    piece = memoryview(block * (PIECE // len(block)))
    for _ in range(size // PIECE):
        yield piece
    if size % PIECE:
        yield piece[:size % PIECE]


def with_mark(parts):
    """Yield `parts` of an object, then a trailer with the MD5 of these parts."""
    digest = hashlib.md5(usedforsecurity=False)
    for part in parts:
        digest.update(part)
        yield part
    yield GUARD + digest.hexdigest().encode() + GUARD


def of_file(file, hash_check=False):
    """Return (number of bytes, function that returns the content) of `file`, a pathlib.Path.

    With `hash_check` a trailer with the MD5 follows the file's bytes, as in COSBench. Raises
    OperationError if there is no such file.
    """
    try:
        size = file.stat().st_size
    except OSError as err:
        raise OperationError(f'filewrite: {err.strerror}') from None
    if hash_check:
        return size + MARK, lambda: with_mark(_file_pieces(file, size))
    return size, lambda: _file_pieces(file, size)


def _file_pieces(file, size):
    """Yield the first `size` bytes of a file, even if it has become longer than that meanwhile."""
    with file.open('rb') as source:
        while size and (piece := source.read(min(size, PIECE))):
            size -= len(piece)
            yield piece
    if size:
        raise OperationError('filewrite: the file has become shorter')


class Verifier:
    """Receives an object's bytes and verifies its trailer, which holds their MD5, at the end."""

    def __init__(self):
        self._digest, self._tail = hashlib.md5(usedforsecurity=False), b''

    def take(self, data):
        """Take the next bytes; keep back the last MARK bytes, which may be the trailer."""
        data = self._tail + data
        self._digest.update(data[:-MARK])
        self._tail = data[-MARK:]

    def verify(self):
        """Raise OperationError if the object has a trailer that does not match its content.

        An object without a trailer passes, as in COSBench.
        """
        has_mark = len(self._tail) == MARK and self._tail.startswith(GUARD)
        if has_mark and self._tail != GUARD + self._digest.hexdigest().encode() + GUARD:
            raise OperationError('hashCheck: not what was written')
