"""Domain names in a message (RFC 1035 4.1.4): their ends, and their expansion. Pure."""

LONGEST_NAME = 255      # bytes of a name in wire format
POINTER = 0xc0          # the least value of the first byte of a pointer


class UnreadableError(ValueError):
    """A message is not a query with an unambiguous meaning."""


def end_of_name(data, at):
    """Return the end of the name at `at`, which must not contain a pointer; raises UnreadableError.
    """
    begin = at
    try:
        while length := data[at]:
            if length > 63:
                raise UnreadableError('a name has a pointer, or a label of another kind')
            at += length + 1
    except IndexError:
        raise UnreadableError('a name is cut off') from None
    if at + 1 - begin > LONGEST_NAME:
        raise UnreadableError('a name is too long')
    return at + 1


def end_of_owner(data, at):
    """Return the end of a record's name, which may end in a pointer."""
    at = end_of_labels(data, at)
    return at + 2 if data[at] else at + 1


def end_of_labels(data, at):
    """Return the end of the labels that begin at `at`: the position of a pointer, or of the root.
    """
    try:
        while 0 < (length := data[at]) < 64:
            at += length + 1
    except IndexError:
        raise UnreadableError('a name is cut off') from None
    if 0 < length < POINTER:
        raise UnreadableError('a name has a label of another kind')
    return at


def in_full(data, at):
    """Return the name at `at` without pointers; each pointer must refer to an earlier place."""
    name = b''
    while True:
        end = end_of_labels(data, at)
        name += data[at:end]
        if len(name) >= LONGEST_NAME:
            raise UnreadableError('a name is too long')
        if data[end] == 0:
            return name + b'\0'
        to = int.from_bytes(data[end:end + 2], 'big') & 0x3fff
        if to >= at:
            raise UnreadableError('a pointer leads on')
        at = to
