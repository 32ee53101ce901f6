"""Send malformed queries to Responders, and count the answers that break a rule.

Each query is one of the corpus (test/support/dns_corpus.py), changed up to three times.
Responders of several modes answer, by UDP and TCP, while Instructions change; one limits rates.
"""
import random
from collections import Counter

import dns.message

from support.dns_corpus import CORPUS, NAME, message, opt, option, query, question, two
from support.zone_options import instruction, name_of, proxies, responder
from swift_lb.wire.dns_query import parse

EXCEPTION, TOO_LONG, TO_AN_ANSWER, UNREADABLE, NOT_OURS = FAULTS = (
    'exceptions', 'answers longer than allowed', 'answers to answers',
    'answers that dnspython can not read', 'answers that do not belong to their query')
IPS = ('192.0.2.53', '198.51.100.7', '2001:db8::53', '::ffff:192.0.2.99', 'fe80::1%lo')
TELLING = (0, 1, 2, 4, 8, 12, 40, 41, 63, 64, 192, 250, 255)     # bytes, where a length may be
WITHOUT_EDNS, MAX_UDP = 512, 1232   # bytes: largest answer by UDP without EDNS, and with it
INSTRUCTED = 5000                 # queries between two Instructions
REMEMBERED = 50_000         # answers that are not parsed again
EXAMPLES = 5                # kept of each fault


def flipped(data, _other, chance):
    changed = bytearray(data)
    for _bit in range(chance.randint(1, 6)):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(data, _other, chance):
    return data[:chance.randrange(len(data))]


def spliced(data, other, chance):
    """Return the beginning of the query `data` joined with the end of the query `other`."""
    place = chance.randrange(len(data))
    return data[:place] + other[chance.choice((place, chance.randrange(len(other) + 1))):]


def lengths(data, _other, chance):
    """Return `data` with 1 to 3 random bytes after the id replaced by lengths or pointers."""
    changed = bytearray(data)
    for _byte in range(chance.randint(1, 3)):
        place = chance.randrange(min(2, len(data) - 1), len(data))
        changed[place] = chance.choice(TELLING)
    return bytes(changed)


def repeated(data, _other, chance):
    """Return `data` with some bytes repeated; half of the time a record count is changed, too."""
    begin = chance.randrange(len(data))
    part = data[begin:begin + chance.randint(1, 40)]
    changed = data[:begin] + part * chance.randint(2, 12) + data[begin + len(part):]
    if chance.random() < 0.5 and len(changed) > 12:
        place = chance.choice((5, 7, 9, 11))
        changed = changed[:place] + bytes((chance.randint(0, 3),)) + changed[place + 1:]
    return changed


def renumbered(data, _other, chance):
    """Return `data` with a random id, and half of its letters in the other case (0x20)."""
    name = bytes(byte ^ 0x20 if chr(byte).isalpha() and byte < 128 and chance.random() < 0.5
                 else byte for byte in data[12:])
    return chance.randbytes(2) + data[2:12] + name


def reheaded(data, _other, chance):
    """Return `data` with random flags and record counts in its header."""
    counts = bytes(byte for _time in range(4) for byte in (0, chance.choice((0, 0, 1, 1, 2, 255))))
    return data[:2] + chance.randbytes(2) + counts + data[12:]


def optioned(_data, _other, chance):
    """Return a new query for a name of the zone, with random EDNS options."""
    options = b''.join(some_option(chance) for _time in range(chance.randint(0, 4)))
    record = opt(chance.choice((0, 511, 512, 513, 1232, 1400, 65535)), chance.choice((0, 0, 0, 1)),
                 chance.choice((0, 0x8000, 0xffff)), options)
    return query(chance.choice((NAME, 'any.' + NAME)), chance.choice(('A', 'AAAA', 'ANY')), record)


def some_option(chance):
    """Return a random EDNS option as bytes, known or unknown, well or badly formed."""
    length = chance.choice((0, 4, 7, 8, 9, 15, 16, 24, 40, 41, chance.randint(0, 300)))
    data = chance.randbytes(length)
    if chance.random() < 0.3:       # which may be a subnet
        data = two(chance.randint(0, 3)) + bytes((chance.randint(0, 130), 0)) + data
    made = option(chance.choice((3, 8, 9, 10, 10, 11, 12, 15, 65001)), data)
    return made if chance.random() < 0.9 else made[:-1]


def asked_for(_data, _other, chance):
    """Return a new query for a name of random bytes, inside or outside of the zone."""
    labels, room = b'', 200
    for _label in range(chance.randint(0, 6)):
        label = chance.randbytes(chance.randint(1, 63))
        if len(label) < room:
            labels, room = labels + bytes((len(label),)) + label, room - len(label) - 1
    name = labels + chance.choice((name_of(NAME).to_wire(), b'\x02lb\x07example\x03com\0', b'\0'))
    return message([question(name, f'TYPE{chance.choice((1, 28, 6, chance.randrange(65536)))}')],
                   [opt()] if chance.random() < 0.5 else [], flags=chance.choice((0, 0x0100)))


MUTATIONS = (flipped, flipped, cut, spliced, lengths, repeated, renumbered, reheaded, optioned,
             asked_for)


class Fuzz:
    """Random queries to four Responders; `answered` and `faults`, {fault: count}, count answers."""

    def __init__(self, seed=1):
        self._chance = random.Random(seed)
        self._queries = list(CORPUS.values())
        self.servers = [responder(instruction()), responder(mode='ordered', proxies=proxies(100)),
                    responder(mode='auto', proxies=proxies(30, families=(6,)), nsid=b'n' * 64),
                    responder(instruction(), rrl_rate=5, rrl_slip=2, rrl_exempt=())]
        self.asked, self.answered, self.rcodes = 0, 0, Counter()
        self.faults = dict.fromkeys(FAULTS, 0)
        self.examples = []      # (fault, query, what)
        self._read = {}         # an answer without its id: its rcode

    def query(self):
        chance = self._chance
        data = chance.choice(self._queries)
        for _time in range(chance.choice((0, 1, 1, 1, 1, 2, 2, 3))):
            data = chance.choice(MUTATIONS)(data or b'?', chance.choice(self._queries), chance)
        return data

    def run(self, queries):
        chance = self._chance
        for number in range(queries):
            now = number / 1000
            if number % INSTRUCTED == 0:
                self._instruct(number // INSTRUCTED, now)
            server, data, tcp = chance.choice(self.servers), self.query(), chance.random() < 0.1
            self.asked += 1
            try:
                answer = (server.tcp(data, IPS[0]) if tcp
                          else server.udp(data, chance.choice(IPS), now))
            except Exception as err:
                self._fault(EXCEPTION, data, repr(err))
            else:
                self._check(data, answer, tcp)

    def _instruct(self, number, now):
        """Give all Responders Instruction `number`, or none if 3 divides it."""
        states = {'n1': self._chance.choice(('up', 'late', 'draining'))}
        new = instruction(generation=number, states=states) if number % 3 else None
        for one in self.servers:
            one.follow(new, now)

    def _fault(self, fault, data, what):
        self.faults[fault] += 1
        if self.faults[fault] <= EXAMPLES:
            self.examples.append((fault, data.hex(), what))

    def _check(self, data, answer, tcp):
        if answer is None:
            return
        self.answered += 1
        if len(data) < 12 or data[2] & 0x80:
            self._fault(TO_AN_ANSWER, data, answer.hex())
        if len(answer) > (65535 if tcp else allowed(data, answer)):
            self._fault(TOO_LONG, data, answer.hex())
        if answer[:2] != data[:2] or not answer[2] & 0x80 or (answer[2] ^ data[2]) & 0x78:
            self._fault(NOT_OURS, data, answer.hex())
        try:
            self.rcodes[self._rcode(answer)] += 1
        except Exception as err:
            self._fault(UNREADABLE, data, f'{answer.hex()} {err!r}')

    def _rcode(self, answer):
        """Return the name of an answer's rcode, parsed by dnspython; cached: the parser is slow."""
        without_id = answer[2:]
        rcode = self._read.get(without_id)
        if rcode is None:
            if len(self._read) >= REMEMBERED:
                self._read.clear()
            rcode = dns.message.from_wire(answer, keyring=False).rcode().name
            self._read[without_id] = rcode
        return rcode


def allowed(data, answer):
    """Return the largest size, in bytes, of an answer by UDP to the query `data`."""
    if len(answer) <= WITHOUT_EDNS:
        return WITHOUT_EDNS
    try:
        payload = dns.message.from_wire(data).payload   # 0 without EDNS
    except Exception:       # dnspython refuses an option that parse() ignores
        payload = parse(data).edns.payload
    return min(max(payload, WITHOUT_EDNS), MAX_UDP)
