"""Have a peer answer a request, and say whether another may still be asked if it does not."""
from swift_lb.errors import ClientError, PeerError
from swift_lb.proxy.dispatch.answer import Answer
from swift_lb.proxy.dispatch.connection import SilentError, UnreadableError

LAST_WORDS = 3.0    # seconds
CONTINUE, FIRST_FINAL, NOT_SUCCESS = 100, 200, 300


class Relay:
    """Hands requests to peers through a Pool."""

    def __init__(self, pool):
        self._pool = pool

    def ask(self, request, head, address, source, patience, traffic):
        """Return the Answer of the peer at `address` to a ClientRequest.

        `head()` returns the bytes of its head, signed anew each time. Raises PeerError, after which
        another may be asked if the request `may_go_elsewhere`, ClientError, and what head() does.
        A connection that has been used before may end just as it is used again; a new one is taken
        then. `traffic(bytes)` is told of what goes through.
        """
        kept = self._pool.take(address)
        if kept is not None:
            try:
                return self._asked(kept, request, head, address, patience, traffic)
            except PeerError as err:
                final = isinstance(err, (SilentError, UnreadableError))
                if final or not request.may_go_elsewhere:
                    raise
        return self._asked(self._pool.new(address, source), request, head, address, patience,
                           traffic)

    def _asked(self, connection, request, head, address, patience, traffic):
        try:
            said = head()
            request.sent = True
            connection.send(said, patience)
            found = answered(connection, request, patience, traffic)
        except BaseException:
            connection.close()
            raise
        pieces = connection.body(found, patience)
        if request.begun and not request.ended and goes_on(found):
            pieces = both_ways(connection, request, pieces, patience, traffic)

        def end(error):
            whole = not request.has_body or request.ended
            connection.reusable = connection.reusable and whole and error is None
            self._pool.give(address, connection)
        return Answer(found, told(pieces, traffic), end)


def answered(connection, request, patience, traffic):
    """Return the AnswerHead of the final answer, having sent the body if the peer wants it."""
    found = connection.head(request.method, patience)
    if found.status == CONTINUE and request.has_body:
        try:
            send_body(connection, request, patience, traffic)
        except ClientError as err:
            return last_words(connection, request, err)
        found = connection.head(request.method, patience)
    while found.status < FIRST_FINAL:
        found = connection.head(request.method, patience)
    return found


def last_words(connection, request, error):
    """Return what the peer says of a client that has stopped sending; else raises `error`.

    It waits no longer than we do, and knows who is to be told in which way: s3api has its own.
    """
    def patience(waited):
        if waited >= LAST_WORDS:
            raise PeerError('nothing')
    if not error.status.startswith('408'):
        raise error
    try:
        return connection.head(request.method, patience)
    except PeerError:
        raise error from None


def send_body(connection, request, patience, traffic):
    """Send the body as far as it goes before an answer comes."""
    for piece in request.pieces():
        if connection.has_news:
            request.put_back(piece)
            return
        try:
            connection.send(piece, patience)
        except PeerError:
            if connection.has_news:     # it may have said why before it closed
                return
            raise
        traffic(len(piece))
    request.ended = True


def goes_on(head):
    """Return whether a peer that answers before it has all of the body wants the rest of it.

    Swift's bulk upload says 200 after a while, and blanks, to keep the client awake.
    """
    return head.keep and FIRST_FINAL <= head.status < NOT_SUCCESS


def both_ways(connection, request, pieces, patience, traffic):
    """Yield the pieces of an answer that begins before the body has ended, and send the rest."""
    for part in request.pieces():
        while connection.has_news:
            piece = next(pieces, None)
            if piece is None:       # all has been said
                return
            yield piece
        try:
            connection.send(part, patience)
        except PeerError:
            if not connection.has_news:
                raise
            break
        traffic(len(part))
    else:
        request.ended = True
    yield from pieces


def told(pieces, traffic):
    """Yield `pieces`, and tell `traffic` of each."""
    for piece in pieces:
        traffic(len(piece))
        yield piece
