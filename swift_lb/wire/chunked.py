"""The chunked coding of a body (RFC 9112 7.1): a strict decoder, fed as bytes come. Pure.

What another parser could read in another way is an error: a size that is not only hexadecimal
digits, a line that ends without CR, a chunk longer than its size. Extensions are skipped, trailers
are read and dropped.
"""
import re

from swift_lb.errors import WireError

LAST = b'0\r\n\r\n'
MAX_LINE = 4096             # bytes of a line: a size with its extensions, or a trailer
MAX_TRAILERS = 16384        # bytes of all trailers, with the empty line after them
SIZE = re.compile(rb'([0-9A-Fa-f]{1,16})(?:[ \t]*;[^\r\n\0]*)?\r\n')
TRAILER = re.compile(rb'[^\r\n\0]*\r\n')
END = b'\r\n'


def chunk(data):
    """Return `data` as one chunk, and b'' for b'': an empty chunk would end the body."""
    return b''.join((b'%x\r\n' % len(data), data, END)) if data else b''


class ChunkDecoder:
    """Decodes a chunked body as its bytes come; after an error it accepts no more bytes."""

    def __init__(self):
        self.done = False       # whether the last chunk and the trailers have been read
        self.rest = b''         # bytes after them: empty for a correct answer
        self._next = self._size
        self._held = b''        # the part that has come of an unfinished line
        self._left = 0          # bytes of this chunk that are still to come
        self._room = MAX_TRAILERS   # bytes

    def feed(self, data):
        """Return the part of the body that `data`, the next bytes, contains, as a list of pieces.

        Each byte is copied at most once. Raises WireError if the coding is wrong.
        """
        pieces, at = [], 0
        try:
            while at < len(data):
                at = self._next(data, at, pieces)
        except WireError:
            self._next = self._refuse
            raise
        return pieces

    def _size(self, data, at, _pieces):
        """Read the line at `at`, a chunk's size; return the position in `data` to go on from."""
        line, at = self._line(data, at, MAX_LINE)
        if line:
            size = SIZE.fullmatch(line)
            if size is None:
                raise WireError(f'{line[:40]!r} is not the size of a chunk')
            self._left = int(size[1], 16)
            self._next = self._data if self._left else self._trailer
        return at

    def _data(self, data, at, pieces):
        """Append to `pieces` what `data` has of a chunk at `at`; return the position after it."""
        piece = data[at:at + self._left]
        pieces.append(piece)
        self._left -= len(piece)
        if not self._left:
            self._next = self._end
        return at + len(piece)

    def _end(self, data, at, _pieces):
        """Read the CR LF after a chunk, at `at`; return the position in `data` to go on from."""
        line = self._held + data[at:at + len(END) - len(self._held)]
        at += len(line) - len(self._held)
        if not END.startswith(line):
            raise WireError(f'{line!r} follows a chunk, instead of CR LF')
        self._held = line
        if line == END:
            self._held, self._next = b'', self._size
        return at

    def _trailer(self, data, at, _pieces):
        """Read the trailer at `at`, or the empty line after all; return the position after it."""
        line, at = self._line(data, at, min(MAX_LINE, self._room))
        if line:
            if TRAILER.fullmatch(line) is None:
                raise WireError(f'{line[:40]!r} is not a trailer')
            self._room -= len(line)
            if line == END:
                self.done, self._next = True, self._beyond
        return at

    def _beyond(self, data, at, _pieces):
        """Keep the bytes from `at` on, after the end of the body, in `rest`; return len(data)."""
        self.rest += data[at:]
        return len(data)

    def _refuse(self, *_unread):
        raise WireError('an earlier part of the chunked body was wrong')

    def _line(self, data, at, most):
        """Return (line at `at`, position after it), or (b'', len(data)) while the line has no end.

        Raises WireError for a line of more than `most` bytes.
        """
        end = data.find(b'\n', at, at + most) + 1
        line = self._held + data[at:end or at + most]
        if len(line) > most or (not end and len(line) == most):
            raise WireError('a chunked body has a line that is too long, or too many trailers')
        if end:
            self._held = b''
            return line, end
        self._held = line
        return b'', len(data)
