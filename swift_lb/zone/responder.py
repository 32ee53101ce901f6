"""The answer to a DNS query. Pure: instants and addresses are arguments.

The first query of a form (zone/prepared.py) is parsed and answered step by step, and its answer
becomes the pattern for later ones. Messages by TCP are always parsed.
"""
from collections import Counter

from swift_lb.wire.dns_query import BADCOOKIE, HEADER, NOERROR, REFUSED, parse
from swift_lb.wire.dns_reply import MAX_TCP_BYTES, limit_of, opt, reply
from swift_lb.zone.address import packed
from swift_lb.zone.cookie import CLIENT, WHOLE, Cookies
from swift_lb.zone.data import Zone
from swift_lb.zone.prepared import QUESTION, Parts, Pattern, Patterns
from swift_lb.zone.rate_limit import DROP, PASS, RateLimit
from swift_lb.zone.resolvers import Resolvers
from swift_lb.zone.sequences import AnswerSequences
from swift_lb.zone.targets import OverloadDelay

AUTHORITATIVE, CUT_OFF = 0x0400, 0x0200     # flags
COOKIES = 20_000        # clients for which the reply's cookie is kept
COOKIE_MEMORY = 10.0           # seconds for which it is kept: short beside RENEW of zone/cookie.py
# Types that have a count of their own.
COUNTED = {1: 'A', 2: 'NS', 6: 'SOA', 16: 'TXT', 28: 'AAAA', 64: 'SVCB', 65: 'HTTPS', 251: 'IXFR',
           252: 'AXFR', 255: 'ANY'}
RESULTS = {1: 'formerr', 4: 'notimp', 9: 'notauth', 16: 'badvers', 23: 'badcookie'}


class Responder:
    """Answers the DNS queries that one process receives."""

    def __init__(self, options, phase, rng, wall):
        """Take DnsOptions, `phase`, a random.Random, and `wall`, which returns seconds since 1970.

        `phase` in [0, 1) is the start of the sequences of answers.
        """
        self._options, self._wall = options, wall
        self._cookies = Cookies(options.cookie_keys)
        # The kernel distributes the queries of one network over all processes.
        self._limit = RateLimit(-(-options.rrl_rate // options.workers), options.rrl_slip,
                                options.rrl_exempt)
        self.resolvers = Resolvers(options.ttl)
        self.sequences = AnswerSequences(options, phase, rng)
        self._delay, self._tolerated = OverloadDelay(options.patience), frozenset()
        self.instruction, self.serial, self.ttl = None, 1, options.ttl
        self._patterns = Patterns()
        self._replies, self._replies_until = {}, 0.0    # (cookie, ip) -> the cookie of the reply
        self._queries = Counter()   # (type, result) -> queries
        self._shuffle_at = float('-inf')
        self._obey(None, 0.0)

    # -- the instruction

    def follow(self, instruction, now):
        """Let later answers follow `instruction`, the one valid at `now`, or None if there is none.

        It is called several times a second, and takes long only if something has changed.
        """
        if now >= self._replies_until:
            self._replies, self._replies_until = {}, now + COOKIE_MEMORY
        tolerated = self._delay.tolerated(instruction, now)
        if tolerated != self._tolerated or not is_alike(instruction, self.instruction):
            self._tolerated = tolerated
            self._obey(instruction, now)
        elif now >= self._shuffle_at or self.sequences.is_outgrown(self.resolvers.count(now)):
            self._shuffle(now)
        self.instruction = instruction

    def _obey(self, instruction, now):
        suspect = self.sequences.refresh(instruction, self._tolerated)
        self.ttl = self._options.ttl_min if suspect else self._options.ttl
        if instruction is not None:     # all nodes have the same serial for the same Instruction
            self.serial = instruction.generation & 0xffffffff or 1
        self._zone = Zone(self._options, self.serial, self.ttl)
        self._shuffle(now)

    def _shuffle(self, now):
        self._forget()
        self.sequences.shuffle(self.ttl, self.resolvers.count(now), now)
        self._shuffle_at = now + self.ttl

    # -- queries

    def udp(self, data, ip, now):
        """Return the answer, bytes, to the datagram `data` from `ip`, or None for no answer."""
        parts, verdict = Parts(data), self._limit.verdict(ip, now)
        if verdict is not PASS and not self._is_genuine(parts.cookie, ip):
            return self._limited(data, ip, now, verdict)
        pattern = self._patterns.find(parts, self._zone.names)
        if pattern is None:
            return self._answer(data, ip, now, parts=parts)
        pattern.times += 1
        cookie, sequence, end = parts.cookie, pattern.sequence, parts.end
        if cookie:
            cookie = self._reply_cookie(cookie, ip)
        if sequence is None:
            body = pattern.body
        else:
            self.resolvers.note(ip, now)
            body = sequence.next_answer().wire
        return b''.join((data[:2], pattern.head, data[HEADER:end + QUESTION], body, pattern.tail,
                         cookie))

    def tcp(self, data, ip):
        """Return the answer, bytes, to the TCP message `data` from `ip`, or None for no answer."""
        return self._answer(data, ip, limit=MAX_TCP_BYTES)

    def _answer(self, data, ip, now=None, limit=None, parts=None):
        query = parse(data)
        if query is None:
            self._queries['other', 'ignored'] += 1
            return None
        cookie, valid = self._cookie(query, ip)
        if not query.question and cookie and not valid and len(query.edns.cookie) > CLIENT:
            query = query._replace(rcode=BADCOOKIE)     # RFC 7873 5.4
        if query.rcode or not query.question:
            return self._refuse(query, cookie, limit or limit_of(query))
        answer = self._zone.find(query.name, query.qtype, query.qclass)
        flags = answer.rcode | (0 if answer.rcode == REFUSED else AUTHORITATIVE)
        sequence = None if answer.sequence is None else self.sequences.of(answer.sequence)
        answers = answer.answers if sequence is None else sequence.next_answer().records
        if sequence is not None and now is not None:
            self.resolvers.note(ip, now)
        tail = opt(query, answer.rcode, self._options.nsid, cookie)
        self._count(query, answer.result)
        wire = reply(query, flags, (answers, answer.authority, answer.additional), tail,
                     limit or limit_of(query))
        if parts is not None:
            self._prepare(parts, query, wire, sequence, tail, answer.result)
        return wire

    def _refuse(self, query, cookie, limit):
        """Return an answer without records, of at most `limit` bytes.

        The query is malformed, or asks only for a `cookie`.
        """
        result = RESULTS.get(query.rcode, 'answer')
        self._count(query, result)
        tail = opt(query, query.rcode, self._options.nsid, cookie)
        return reply(query, query.rcode & 15, ((), (), ()), tail, limit)

    def _limited(self, data, ip, now, verdict):
        """Return the answer to a client over its rate limit, or None.

        If a cookie proves the client's address, it is the full answer. Else `verdict` decides: for
        SLIP an answer with TC, for DROP none.
        """
        query = parse(data)
        if query is None:
            return None
        cookie, valid = self._cookie(query, ip)
        if valid:
            return self._answer(data, ip, now)
        self._queries['other', 'dropped' if verdict is DROP else 'slipped'] += 1
        if verdict is DROP:
            return None
        tail = opt(query, NOERROR, b'', cookie)     # no longer than the query but for the cookie
        return reply(query, CUT_OFF, ((), (), ()), tail, MAX_TCP_BYTES)

    def _cookie(self, query, ip):
        """Return (the cookie to send or None, whether the client's cookie is valid)."""
        if query.edns is None or query.edns.cookie is None:
            return None, False
        return self._cookies.answer(query.edns.cookie, packed(ip), int(self._wall()))

    # -- patterns

    def _prepare(self, parts, query, wire, sequence, tail, result):
        """Keep the answer `wire` as a pattern if it suits all queries of the same form.

        It does not if its length depends on the backends that `sequence` gives, or if the cookie
        is not the query's last part. `tail` is its OPT record, `result` the label for the counts.
        """
        end, cookie = HEADER + len(query.question), (query.edns and query.edns.cookie) or b''
        is_read = end == parts.end + QUESTION and parts.cookie == cookie
        if not is_read or (sequence is not None and wire[2] & 2):
            return
        if self._patterns.is_full():
            self._forget()
        body = wire[end:len(wire) - len(tail)] if sequence is None else b''
        if parts.cookie:
            tail = tail[:-WHOLE]
        self._patterns.add(parts, self._zone.names, Pattern(
            wire[2:HEADER], sequence, body, tail, (COUNTED.get(query.qtype, 'other'), result)))

    def _reply_cookie(self, cookie, ip):
        """Return the cookie for the reply to a client's cookie, from the cache if possible."""
        reply = self._replies.get((cookie, ip))
        if reply is None:
            if len(self._replies) >= COOKIES:
                self._replies = {}
            reply, _valid = self._cookies.answer(cookie, packed(ip), int(self._wall()))
            self._replies[cookie, ip] = reply
        return reply

    def _is_genuine(self, cookie, ip):
        """Return whether the query has a cookie that was made for `ip` and need not be renewed."""
        return cookie != b'' and self._reply_cookie(cookie, ip) == cookie

    def _forget(self):
        self._fold()
        self._patterns.forget()

    # -- counts

    def _count(self, query, result):
        self._queries[COUNTED.get(query.qtype, 'other'), result] += 1

    def _fold(self):
        for pattern in self._patterns:
            self._queries[pattern.labels] += pattern.times
            pattern.times = 0
        self.sequences.fold()

    def document(self, now):
        """Return a dict for JSON: counts since the process began; TTL, serial and sequences now."""
        self._fold()
        return {'queries': [[*labels, count] for labels, count in self._queries.items()],
                'resolvers': self.resolvers.count(now), 'serial': self.serial, 'ttl': self.ttl,
                **self.sequences.document()}


def is_alike(one, other):
    """Return whether two Instructions, each possibly None, lead to the same DNS answers."""
    if one is None or other is None:
        return one is other
    return (one.generation, one.digest, one.panic) == (other.generation, other.digest, other.panic)
