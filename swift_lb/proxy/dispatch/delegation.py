"""Delegate a request to one peer after another, until one answers or this proxy has to serve it."""
import secrets
from math import inf

from swift_lb.errors import ClientError, PeerError, WireError
from swift_lb.model import DISABLED, GONE, LATE
from swift_lb.proxy.dispatch.answers import UNAVAILABLE
from swift_lb.proxy.dispatch.connection import SilentError, UnreadableAnswerError
from swift_lb.proxy.dispatch.facts import image_key
from swift_lb.proxy.dispatch.incoming import REFUSED, UNDECODED
from swift_lb.proxy.guard import fails_open
from swift_lb.replica_options import target_text
from swift_lb.wire import peer_load
from swift_lb.wire.hop import Hop, encode

MISDIRECTED = 421
SILENCE_TIMEOUT = 60.0  # seconds without a byte of a peer of unknown state: Swift's client_timeout
LOST = 10.0             # of a peer that is down but may have done what it was asked
PEERS = 2               # asked for one request, before it is served here


class FailedError(Exception):
    """A peer may have done part of a request before it failed, so no other proxy may repeat it."""

    def __init__(self, status, message):
        """`status` is a status line for the client; `message` is a sentence for the log."""
        self.status = status
        super().__init__(message)


class Delegations:
    """Delegates requests of one worker to peers, and learns from their answers."""

    def __init__(self, chooser, relay, identity, budget, clock, wall, counts, fall_back,
                 lacks):
        """Take the worker's Chooser, a Relay, a RetryBudget and DispatchCounts.

        `identity()` returns the current Identity, `clock()` monotonic seconds, `wall()` seconds
        since 1970; `fall_back(component)` reports a component that has failed, and
        `lacks(backend, now)` a peer where no decoder answers.
        """
        self.fall_back = fall_back
        self._chooser, self._relay, self._identity = chooser, relay, identity
        self._budget, self._clock, self._wall, self._counts = budget, clock, wall, counts
        self._lacks = lacks

    def delegate(self, order, request, env, due):
        """Return the Answer of the first backend of the list `order` that answers, or None.

        `request` is the ClientRequest, `env` its WSGI environment. `due` is the instant at which
        this proxy would have answered it, None if unknown. Raises FailedError if neither another
        peer nor this proxy may serve it any more.
        """
        self._budget.earn()
        for place, backend in enumerate(order[:PEERS]):
            if place and not self._budget.spend(self._clock()):
                self._counts.count('delegation_failures', str(backend), 'budget')
                return None
            answer = self._ask(backend, request, env, due)
            if answer is not None:
                return answer
        return None

    def _ask(self, backend, request, env, due):
        ledger, since = self._chooser.ledger, self._clock()
        begin = ledger.begin if image_key(env) is None else ledger.begin_part
        record, read = ledger.record(backend), begin(backend, since)
        try:
            answer = self._relay.send(
                request, lambda: self._head(backend, request, env), (backend.ip, backend.port),
                self._chooser.view.here.ip, self._on_wait(backend, request), record.passed)
        except WireError:       # a request that cannot be sent again can still be served here
            read.end()
            self._counts.count('delegation_failures', str(backend), 'unsendable')
            return None
        except (PeerError, ClientError) as err:
            self._failed(record, read, backend, request, err)
            return None
        why = header_of(answer, REFUSED) if answer.head.status == MISDIRECTED else None
        if why is not None:
            answer.close()
            self._refused(record, read, backend, why)
            return None
        self._answered(backend, record, read, answer, since, request, due)
        return answer

    def _blame(self, record, read):
        read.fail(timed_out=False)
        record.failed(self._clock())

    def _refused(self, record, read, backend, why):
        if why == UNDECODED:        # it serves other requests
            read.end()
            self._lacks(backend, self._clock())
        else:
            self._blame(record, read)
        self._counts.count('delegation_failures', str(backend),
                           why if why == UNDECODED else 'refused')

    def _head(self, backend, request, env):
        identity = self._identity()
        hop = hop_of(env, identity.node, target_text((backend.ip, backend.port)), self._wall(),
                     request.expects)
        return request.head(encode(identity.keys[0], hop, request.method, request.target))

    def _failed(self, record, read, backend, request, err):
        if isinstance(err, ClientError):
            raise FailedError(err.status, str(err)) from None
        if not isinstance(err, UnreadableAnswerError):
            self._blame(record, read)
        lost = not request.may_go_elsewhere
        self._counts.count('delegation_failures', str(backend), 'begun' if lost else 'unanswered')
        if lost:
            raise FailedError(UNAVAILABLE, f'{backend} did not answer: {err}') from None

    def _answered(self, backend, record, read, answer, since, request, due):
        now, text = self._clock(), header_of(answer, peer_load.HEADER)
        # A body comes as its client sends it, before the head of the answer or after it.
        hop = self._chooser.ledger.learn_from_answer(backend, read, since, now,
                                            text and peer_load.decode(text), not request.has_body)
        self._counts.count_delegated(str(backend), hop,
                              None if due is None or request.has_body else due - now)

        def on_end(error, end=answer.on_end):
            self._ended(record, read, error)
            end(error)
        answer.on_end = on_end

    @fails_open('dispatch')
    def _ended(self, record, read, error):
        if error is None:
            read.complete()
        else:
            self._blame(record, read)

    def _on_wait(self, backend, request):
        def on_wait(waited):
            """Raise SilentError if `backend` has sent nothing for too long: `waited` seconds."""
            known = self._chooser.follow() is not None
            state = self._chooser.view.states.get(backend, GONE) if known else None
            if waited >= longest_wait(state, request):
                raise SilentError(f'no byte has come for {waited:.0f} s')
        return on_wait


def hop_of(env, sender, to, sent_at, expects):
    """Return a new Hop of the client's request `env`; the other arguments are fields of it."""
    return Hop(sender, to, sent_at, secrets.token_hex(8), env.get('REMOTE_ADDR', ''),
               env.get('REMOTE_PORT', ''), env.get('wsgi.url_scheme', 'http'),
               env.get('swift.trans_id', ''), expects)


def header_of(answer, wanted):
    """Return the value of the header with the name `wanted` in a peer's Answer, or None."""
    return next((value for name, value in answer.head.headers if name.lower() == wanted.lower()),
                None)


def longest_wait(state, request):
    """Return after how many seconds without a byte from a peer the dispatcher stops waiting.

    `state` is the peer's state in the Instruction, None without an Instruction. At a peer that is
    disabled, late or gone the wait is shorter if the request `may_go_elsewhere`; if not, the peer
    gets longer to finish what it has begun.
    """
    again = request.may_go_elsewhere
    if state in (GONE, LATE):
        return 0.0 if again else LOST
    if state == DISABLED:
        return LOST if again else SILENCE_TIMEOUT
    return SILENCE_TIMEOUT if state is None else inf
