"""Domain names in a message (RFC 1035 4.1.4): where they end, and what they are in full. Pure."""

LONGEST_NAME = 255      # bytes
POINTER = 0xc0          # the first of two bytes of a pointer is this or more


class UnreadableError(ValueError):
    """What was sent is no query that has one meaning."""


def end_of_name(data, at):
    """Return where the name ends that begins at `at`, and has no pointer; raises UnreadableError.
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
    """Return where the name of a record ends, which may point to another."""
    at = end_of_labels(data, at)
    return at + 2 if data[at] else at + 1


def end_of_labels(data, at):
    """Return where the labels end that begin at `at`: at a pointer, or at the root."""
    try:
        while 0 < (length := data[at]) < 64:
            at += length + 1
    except IndexError:
        raise UnreadableError('a name is cut off') from None
    if 0 < length < POINTER:
        raise UnreadableError('a name has a label of another kind')
    return at


def in_full(data, at):
    """Return the name that begins at `at`, without pointers; each of them has to lead back."""
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
