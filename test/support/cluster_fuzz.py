"""Send altered, forged and replayed datagrams and lb_from to what receives them, and count faults.

Genuine datagrams and texts are changed up to three times. An agent has received all the genuine
ones before, so that none may be accepted; but payloads which are changed and then signed with the
right key, as by a faulty agent of a cluster that is trusted, may be. Whatever was accepted, the
agent must go on: it speaks, and what it writes for the dispatchers can be read.
"""
import json
import random
from collections import Counter

from support.client_env import env_of
from support.cluster_network import KEY, WALL, instruction
from swift_lb.model import (
    ClientPath,
    ClusterLink,
    ClusterSummary,
    ContentTime,
    Echo,
    EndedRedirect,
    ImageState,
)
from swift_lb.proxy.dispatch.redirects import REDIRECTED, take_out
from swift_lb.service.cluster_options import ClusterOptions
from swift_lb.service.clusters.exchange import ClusterExchange
from swift_lb.wire import cluster_summary, clusters, observations, redirect, signature
from swift_lb.wire.observations import Observations, RelayedBody, SeenPath, SentReads, ServedTime
from swift_lb.wire.redirect import LASTS, Origin, version_of, with_parameter

EXCEPTION, ALTERED, UNREADABLE = FAULTS = (
    'exceptions', 'altered or replayed ones that are accepted', 'files that cannot be read')
OTHER_KEY = 'a key of other clusters'
TELLING = b'0123456789.eE+-[],"{}:nulNaIfty\x00\xff'    # bytes that mean something in JSON
LATER = 1 << 40     # sequence after that of any genuine one
SPEAKS = 2000       # inputs between two intervals of the agent
EXAMPLES = 5        # kept of each fault
EXTREME = (0, 0.0, -0.0, -1, 5e-324, 1e-300, 1e-9, 0.1, 1, 60, 3600, 1e12, 1e15, 1e308, 1 << 53,
           1 << 70, None, True, '', 'b', 'a.b', '0' * 16, [], {}, [[]])
SEQUENCES = {cluster_summary.MAGIC: 4, observations.MAGIC: 5}   # places of the field `sequence`
TARGETS = '/v1/a/c/o', '/v1/a/c/o?temp_url_sig=x', '/v1/a/c/%C3%A9?a=b&c'


def flipped(data, _other, chance):
    changed = bytearray(data)
    for _bit in range(chance.randint(1, 4)):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(data, _other, chance):
    return data[:chance.randrange(len(data))]


def spliced(data, other, chance):
    """Return the beginning of `data` joined with the end of `other`."""
    return data[:chance.randrange(len(data))] + other[chance.randrange(len(other)):]


def told(data, _other, chance):
    """Return `data` with 1 to 4 bytes replaced by bytes that mean something."""
    changed = bytearray(data)
    for _byte in range(chance.randint(1, 4)):
        changed[chance.randrange(len(data))] = chance.choice(TELLING)
    return bytes(changed)


def repeated(data, _other, chance):
    """Return `data` with some bytes repeated, often to more than a datagram has."""
    begin = chance.randrange(len(data))
    part = data[begin:begin + chance.randint(1, 60)]
    return data[:begin] + part * chance.choice((2, 2, 3, 40)) + data[begin + len(part):]


def renamed(data, _other, chance):
    """Return `data` with the magic of another kind of datagram."""
    return chance.choice((cluster_summary.MAGIC, observations.MAGIC, signature.MAGIC)) + data[4:]


MUTATIONS = flipped, flipped, cut, spliced, told, told, repeated, renamed


def odd(fields, chance):
    """Replace a random number or text in `fields`, a list of lists, by one that is extreme."""
    place = chance.randrange(len(fields))
    if type(fields[place]) is list and fields[place] and chance.random() < 0.8:
        odd(fields[place], chance)
    else:
        fields[place] = chance.choice(EXTREME)


def summaries():
    """Return the ClusterSummaries of speakers of b and c, with something in every field."""
    return [ClusterSummary(
        cluster, f'n{number}', 1, number, WALL, 2.0, f'https://{cluster}.example', 3, 0.25, None,
        ('198.18.1.1:8080', 'https://a.b:443'), (ContentTime('small', 0.03, 0.002),),
        (('a', 12.5),), '0123456789abcdef', 2, (Echo('a', 'n0', 1, 1, 0.5, 0.25),),
        (ClusterLink('c', 0.08, 0.002, 0.5, 2e6, 1e5),), (ClientPath('10.0.0.0/24', 0.02, 1e6),),
        (EndedRedirect('0123abcd', -0.02, 0.5), EndedRedirect('0123abce', 0.5, None, True)),
        ImageState(0.25, 8, 8e-8, 1.4e-7, 5e-9, 1.6e-7))
        for cluster in 'bc' for number in range(1, 4)]


def observed():
    """Return Observations of two workers of the agent's host, and of another agent."""
    return [Observations(
        'a', node, worker, 1, 1, WALL, (ServedTime('small', 0.03, 0.002, 12.5),),
        (RelayedBody('b', 1e6, 0.5),), (SeenPath('198.51.100.0/24', 3.0, 0.02, 1e6),),
        (SentReads('b', 12.0, 3.0, 10.0, 4.5, 4.25),))
        for node, worker in (('n0', 7), ('n0', 8), ('n1', observations.AGENT))]


class ClusterFuzz:
    """Random inputs; `refused` counts them by kind, `faults` is {fault: count}."""

    def __init__(self, seed=1):
        self._chance, self._now = random.Random(seed), 100.0
        self.asked, self.taken, self.refused = 0, 0, Counter()
        self.faults, self.examples = dict.fromkeys(FAULTS, 0), []
        self.agent = ClusterExchange(ClusterOptions(
            name='a', peers=(('b', 'b', 1), ('c', 'c', 1)), key=KEY), 'n0', 1)
        self._payloads = [(cluster_summary.MAGIC, cluster_summary.encode(one))
                          for one in summaries()]
        self._payloads += [(observations.MAGIC, observations.encode(one)) for one in observed()]
        self._datagrams = [signature.sign(KEY.encode(), payload, magic)
                           for magic, payload in self._payloads]
        for datagram in self._datagrams:
            self.agent.receive(datagram, self._now, WALL)
        self._texts = [(target, redirect.encode(KEY.encode(), Origin('b', version_of('e', '1')),
                                                WALL + LASTS, target)) for target in TARGETS]

    @property
    def accepted(self):
        """How many datagrams the agent has accepted, the genuine ones included."""
        return self.agent.inspected.accepted + self.agent.observed.accepted

    def run(self, inputs):
        """Make and check so many inputs."""
        kinds = {self._altered: 6, self._replayed: 1, self._forged: 1, self._signed: 2,
                 self._redirected: 4}
        turns = self._chance.choices([*kinds], [*kinds.values()], k=inputs)
        for number, turn in enumerate(turns):
            self.asked, self._now = self.asked + 1, self._now + 1e-5
            try:
                turn()
                if number % SPEAKS == 0:
                    self._go_on()
            except Exception as err:
                self._fault(EXCEPTION, turn.__name__, repr(err))

    def _mutated(self, data, others):
        for _time in range(self._chance.choice((1, 1, 1, 2, 3))):
            other = self._chance.choice(others)
            data = self._chance.choice(MUTATIONS)(data or b'?', other, self._chance)
        return data

    def _altered(self):
        self._refuse('altered', self._mutated(self._chance.choice(self._datagrams),
                                              self._datagrams))

    def _replayed(self):
        self._refuse('replayed', self._chance.choice(self._datagrams))

    def _forged(self):
        magic, payload = self._chance.choice(self._payloads)
        self._refuse('forged', signature.sign(OTHER_KEY.encode(), payload, magic))

    def _refuse(self, kind, datagram):
        before = self.accepted
        self.agent.receive(datagram, self._now, WALL)
        if self.accepted != before:
            self._fault(ALTERED, kind, datagram)
        self.refused[kind] += 1

    def _signed(self):
        magic, payload = self._chance.choice(self._payloads)
        if self._chance.random() < 0.5:
            payload = self._mutated(payload, [other for _magic, other in self._payloads])
        else:
            fields, place = json.loads(payload), SEQUENCES[magic]
            rest = fields[place + 1:]
            odd(rest, self._chance)
            payload = json.dumps([*fields[:place], LATER + self.asked, *rest]).encode()
        before = self.accepted
        self.agent.receive(signature.sign(KEY.encode(), payload, magic), self._now, WALL)
        self.taken += self.accepted - before
        self.refused['signed'] += self.accepted == before

    def _redirected(self):
        target, text = self._chance.choice(self._texts)
        late = self._chance.random() < 0.2
        elsewhere = self._chance.choice(TARGETS) if self._chance.random() < 0.3 else target
        if not late and elsewhere == target:
            text = self._mutated(text.encode(), [other.encode() for _target, other in self._texts]
                                 ).decode('latin-1')
        path, _mark, query = with_parameter(elsewhere, text).partition('?')
        env = env_of(path=path, query=query)
        taken = take_out(env, (KEY.encode(),), WALL + 2 * LASTS * late)
        if taken and (late or (elsewhere, text) not in self._texts):
            self._fault(ALTERED, 'lb_from', (elsewhere, text, env[REDIRECTED]))
        self.refused['lb_from'] += not taken

    def _go_on(self):
        """Let the agent speak, and check the file that it writes."""
        self.agent.speak(instruction({'n0': 1.0, 'n1': 2.0}), self._now, WALL)
        self.agent.tell(self._now, WALL)
        known = self.agent.clusters(self._now)
        _clusters, fault = clusters.decode(clusters.encode(known, 'b'), 'b')
        if fault:
            self._fault(UNREADABLE, fault, known)

    def _fault(self, fault, *what):
        self.faults[fault] += 1
        if self.faults[fault] <= EXAMPLES:
            self.examples.append((fault, *what))
