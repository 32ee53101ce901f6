"""One request handed to peers in turn, until one answers it or this proxy has to."""
import secrets
from math import inf

from swift_lb.errors import ClientError, PeerError, WireError
from swift_lb.model import DISABLED, GONE, LATE
from swift_lb.proxy.dispatch.connection import SilentError, UnreadableError
from swift_lb.proxy.dispatch.incoming import REFUSED
from swift_lb.replica_options import target_text
from swift_lb.wire import peer_load
from swift_lb.wire.hop import Hop, encode

MISDIRECTED = 421
SILENT = 60.0           # seconds without a byte of whom nothing is known: Swift's client_timeout
LOST = 10.0             # of whom nothing is heard, where it may have done what it was asked
PLACES = 2              # peers asked of one request, before it is served here
UNAVAILABLE = '503 Service Unavailable'


class FailedError(Exception):
    """No answer is to be had, and no other may be asked; `status` is what the client is told."""

    def __init__(self, status, said):
        """`said` is one sentence."""
        self.status = status
        super().__init__(said)


class Delegations:
    """Hands over requests, in one worker."""

    def __init__(self, chooser, relay, identity, budget, clock, wall, tally):
        self._chooser, self._relay, self._identity = chooser, relay, identity
        self._budget, self._clock, self._wall, self._tally = budget, clock, wall, tally

    def ask(self, order, request, env, due):
        """Return the Answer of the first of `order` that answers, None if none does.

        `due` is the instant at which it would have been answered here, None if that is not known.
        Raises FailedError where none may be asked any more, this proxy included.
        """
        self._budget.earn()
        for place, backend in enumerate(order[:PLACES]):
            if place and not self._budget.spend(self._clock()):
                self._tally.count('delegation_failures', str(backend), 'budget')
                return None
            answer = self._asked(backend, request, env, due)
            if answer is not None:
                return answer
        return None

    def _asked(self, backend, request, env, due):
        ledger, since = self._chooser.ledger, self._clock()
        record, read = ledger.of(backend), ledger.begin(backend, since)
        try:
            answer = self._relay.ask(
                request, lambda: self._head(backend, request, env), (backend.ip, backend.port),
                self._chooser.view.here.ip, self._patience(backend, request), record.passed)
        except WireError:       # what can not be said again can still be served
            read.end()
            self._tally.count('delegation_failures', str(backend), 'unsendable')
            return None
        except (PeerError, ClientError) as err:
            self._failed(record, read, backend, request, err)
            return None
        if answer.head.status == MISDIRECTED and self._is_refused(answer):
            answer.close()
            self._blamed(record, read)
            self._tally.count('delegation_failures', str(backend), 'refused')
            return None
        self._answered(backend, record, read, answer, since, request, due)
        return answer

    def _blamed(self, record, read):
        read.fail(timed_out=False)
        record.failed(self._clock())

    def _head(self, backend, request, env):
        identity = self._identity()
        hop = Hop(identity.node, target_text((backend.ip, backend.port)), self._wall(),
                  secrets.token_hex(8), env.get('REMOTE_ADDR', ''), env.get('REMOTE_PORT', ''),
                  env.get('wsgi.url_scheme', 'http'), env.get('swift.trans_id', ''),
                  request.expects)
        return request.head(encode(identity.keys[0], hop, request.method, request.target))

    def _failed(self, record, read, backend, request, err):
        if isinstance(err, ClientError):
            raise FailedError(err.status, str(err)) from None
        if not isinstance(err, UnreadableError):
            self._blamed(record, read)
        lost = not request.may_go_elsewhere
        self._tally.count('delegation_failures', str(backend), 'begun' if lost else 'unanswered')
        if lost:
            raise FailedError(UNAVAILABLE, f'{backend} did not answer: {err}') from None

    def _is_refused(self, answer):
        return any(name.lower() == REFUSED.lower() for name, _value in answer.head.headers)

    def _answered(self, backend, record, read, answer, since, request, due):
        now = self._clock()
        record.answered()
        read.head(now)
        said = next((value for name, value in answer.head.headers
                     if name.lower() == peer_load.HEADER.lower()), None)
        found, hop = said and peer_load.decode(said), None
        if found:
            load, took = found
            record.outlook.heard(load, self._chooser.ledger.in_flight(backend) - 1, now)
            if not request.has_body:    # which comes as its client likes, before or after the head
                hop = max(0.0, now - since - took)
                record.outlook.answered(now - since, took, now)
        self._tally.answered(str(backend), hop,
                             None if due is None or request.has_body else due - now)

        def over(error, end=answer.on_end):
            if error is None:
                read.complete()
            else:
                self._blamed(record, read)
            end(error)
        answer.on_end = over

    def _patience(self, backend, request):
        def patience(waited):
            """Raise SilentError when it is not worth while to wait longer."""
            known = self._chooser.instruction() is not None
            state = self._chooser.view.states.get(backend, GONE) if known else None
            if waited >= longest(state, request):
                raise SilentError(f'nothing has come for {waited:.0f} s')
        return patience


def longest(state, request):
    """Return for how many seconds without a byte a peer in `state` is waited for; None: unknown.

    Who is disabled hangs, or is out of service and still does what it has begun: another is asked
    only for what can not have been done yet, or may be done twice.
    """
    again = request.may_go_elsewhere
    if state in (GONE, LATE):
        return 0.0 if again else LOST
    if state == DISABLED:
        return LOST if again else SILENT
    return SILENT if state is None else inf
