"""Send a client's request to one peer, and pass the answer on to the client as it comes."""
from math import inf

from swift_lb.errors import ClientError, PeerError
from swift_lb.proxy.dispatch.connection import SilentError, UnreadableAnswerError
from swift_lb.proxy.dispatch.request import READS
from swift_lb.wire.hop import HEADER as HOP
from swift_lb.wire.http_head import end_to_end
from swift_lb.wire.peer_load import HEADER as LOAD

LAST_WORDS = 3.0    # seconds for which a peer may still answer after its client stopped sending
CONTINUE, FIRST_FINAL, NOT_SUCCESS = 100, 200, 300
# catch_errors of this proxy adds the transaction's id, which is the peer's, too.
NOT_PASSED = frozenset(('x-trans-id', 'x-openstack-request-id', LOAD.lower(), HOP.lower()))


class Answer:
    """An answer of a peer: `head` is its AnswerHead, and iteration gives the pieces of its body.

    `on_end(error)` is called once: with None when the last piece has been taken or the client has
    left, with the PeerError when the peer has broken off.
    """

    def __init__(self, head, pieces, connection, on_end, held=()):
        """Take the PeerConnection from which `pieces`, a generator, gets the body.

        `held` is a list with the first piece while that has come and is not taken, else empty.
        """
        self.head, self.on_end = head, on_end
        self.complete = False       # whether the last piece has been taken
        self._pieces, self._connection = pieces, connection
        self._held = held           # the first piece, until it is taken

    @property
    def has_news(self):
        """Whether the peer has sent more, or has closed the connection: no wait for a piece."""
        return bool(self._held) or self._connection.has_news

    def pass_through(self, generator):
        """Replace the pieces by what `generator(pieces)` yields; before the first is taken."""
        self._pieces = generator(self._pieces)

    def headers(self):
        """Return the (name, value) pairs of the peer's headers that are passed on to the client."""
        return [(name, value) for name, value in end_to_end(self.head.headers)
                if name.lower() not in NOT_PASSED]

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._pieces)
        except StopIteration:
            self.complete = True
            self._end(None)
            raise
        except PeerError as err:
            self._end(err)
            raise

    def close(self):
        """End the answer, however much of it has been read; further calls have no effect."""
        self._pieces.close()
        self._end(None)

    def _end(self, error):
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end(error)

    def __del__(self):
        self._end(None)


class Relay:
    """Sends clients' requests to peers, and returns their answers, on connections of a Pool."""

    def __init__(self, pool):
        self._pool = pool

    def send(self, request, head, address, source, on_wait, count_bytes, patience=inf):
        """Return the Answer of the peer at `address`, (ip, port), to a ClientRequest.

        `head()` returns the bytes of the request's head, signed anew at each call; `source` is the
        ip to connect from; `on_wait(seconds)` raises PeerError to end a wait; `count_bytes(number)`
        is called with the bytes of bodies that were sent or received; `patience` are the seconds
        that a new connection may take, if they are fewer than the Pool's. Raises ClientError, what
        head() raises, and PeerError, after which another peer may be asked if the request
        `may_go_elsewhere`. If an idle connection ends just as it is used again, a new one is made.
        """
        kept = self._pool.take(address)
        if kept is not None:
            try:
                return self._send(kept, request, head, address, on_wait, count_bytes)
            except PeerError as err:
                final = isinstance(err, (SilentError, UnreadableAnswerError))
                if final or not request.may_go_elsewhere:
                    raise
        return self._send(self._pool.new(address, source, patience), request, head, address,
                          on_wait, count_bytes)

    def _send(self, connection, request, head, address, on_wait, count_bytes):
        try:
            data = head()
            request.sent = True
            connection.send(data, on_wait)
            final = final_head(connection, request, on_wait, count_bytes)
            pieces = counted(connection.body(final, on_wait), count_bytes)
            held = first_of(pieces) if counts_with_body(final, request) else []
        except BaseException:
            connection.close()
            raise
        if held:
            pieces = with_first(held, pieces)
        if request.begun and not request.ended and wants_rest(final):
            pieces = both_ways(connection, request, pieces, on_wait, count_bytes)

        def end(error):
            whole = not request.has_body or request.ended
            connection.reusable = connection.reusable and whole and error is None
            self._pool.give(address, connection)
        return Answer(final, pieces, connection, end, held)


def final_head(connection, request, on_wait, count_bytes):
    """Return the AnswerHead of the peer's final answer; if it answers 100, send the body first.

    `request` is the ClientRequest, the other arguments are those of Relay.send().
    """
    head = connection.head(request.method, on_wait)
    if head.status == CONTINUE and request.has_body:
        try:
            send_body(connection, request, on_wait, count_bytes)
        except ClientError as err:
            return last_words(connection, request, err)
        head = connection.head(request.method, on_wait)
    while head.status < FIRST_FINAL:
        head = connection.head(request.method, on_wait)
    return head


def last_words(connection, request, error):
    """Return the AnswerHead of what the peer answers to a `request` whose client stopped sending.

    The peer times out when this proxy does, and its filters give the answer the form that the
    client expects, such as that of s3api. If no answer comes, `error`, a ClientError, is raised.
    """
    def on_wait(waited):
        if waited >= LAST_WORDS:
            raise PeerError('no answer')
    if not error.status.startswith('408'):
        raise error
    try:
        return connection.head(request.method, on_wait)
    except PeerError:
        raise error from None


def send_body(connection, request, on_wait, count_bytes):
    """Send a ClientRequest's body on a PeerConnection until it ends or the peer begins to answer.

    `count_bytes(number)` is called for each piece sent.
    """
    for piece in request.pieces():
        if connection.has_news:
            request.put_back(piece)
            return
        try:
            connection.send(piece, on_wait)
        except PeerError:
            if connection.has_news:     # perhaps the reason for which it closed
                return
            raise
        count_bytes(len(piece))
    request.ended = True


def wants_rest(head):
    """Return whether a peer wants the rest of the body although it has sent the head of its answer.

    Swift's bulk upload does: it sends 200 and blanks early, so that the client does not time out.
    """
    return head.keep and FIRST_FINAL <= head.status < NOT_SUCCESS


def both_ways(connection, request, pieces, on_wait, count_bytes):
    """Yield the `pieces` of a peer's answer, and send the rest of the request's body meanwhile."""
    for sent in request.pieces():
        while connection.has_news:
            piece = next(pieces, None)
            if piece is None:       # the answer has ended
                return
            yield piece
        try:
            connection.send(sent, on_wait)
        except PeerError:
            if not connection.has_news:
                raise
            break
        count_bytes(len(sent))
    else:
        request.ended = True
    yield from pieces


def counts_with_body(head, request):
    """Return whether an answer counts only with the first piece of its body: a success of a read.

    A proxy sends the head and the body one after the other. If it is killed between both, nothing
    has gone to the client yet, since Swift's filters hold the head back, and the read is repeated.
    What changes something is not: its head says that it is done.
    """
    return head.status < NOT_SUCCESS and request.method in READS and request.may_go_elsewhere


def first_of(pieces):
    """Return a list with the next of the `pieces`, which is empty if there is none."""
    first = next(pieces, None)
    return [] if first is None else [first]


def with_first(held, rest):
    """Yield the piece in the list `held`, which is empty then, and the `rest`."""
    yield held.pop()
    yield from rest


def counted(pieces, count_bytes):
    """Yield the `pieces` of a body, after a call of `count_bytes` with the size of each."""
    for piece in pieces:
        count_bytes(len(piece))
        yield piece
