"""The current sequences of prepared answers, and counts of the answers given from them. Pure."""
from collections import Counter

from swift_lb.wire.dns_reply import SAME_NAME
from swift_lb.zone.records import AAAA, FAMILIES, A, record, type_text
from swift_lb.zone.sampling import Places
from swift_lb.zone.sequence import AUTO, MODES, mode_for
from swift_lb.zone.targets import is_suspect, of_families, rounded

MAX_ADDRESSES = {A: 14, AAAA: 8}     # addresses that fit into 512 bytes with the longest name
LINE = 10                   # TTLs until the order of backends on the line changes


class AnswerSequences:
    """One sequence of prepared answers for each address family, as the current Instruction asks."""

    def __init__(self, options, phase, rng):
        """Take DnsOptions, the start of the sequences in [0, 1) (`phase`), and a random.Random."""
        self._options, self._rng = options, rng
        self._addresses = {
            family: {name: addresses[number] for name, addresses in options.proxies.items()
                     if addresses[number]} for number, family in enumerate(FAMILIES)}
        self._places = {family: Places(phase, rng) for family in FAMILIES}
        self._line, self._line_until = list(options.proxies), float('-inf')
        self._sequences, self._made, self.targets, self.modes = {}, {}, {}, {}
        self.given = Counter()      # (family, backend) -> answers that contained it
        self.expected = Counter()   # (family, backend) -> answers that should have contained it

    def refresh(self, instruction, tolerated=()):
        """Set `targets`, the shares that an Instruction asks for; shuffle() applies them.

        Return whether the state of a node may soon change. `instruction` may be None; `tolerated`
        are the names of nodes over a load threshold that are still in DNS.
        """
        self.targets = of_families(instruction, self._options.proxies, tolerated)
        return is_suspect(self.targets)

    def shuffle(self, ttl, resolvers, now):
        """Prepare new answers, a sequence for each family, by the shares in `self.targets`.

        Resolvers keep answers for `ttl` seconds; `resolvers` is how many ask in that time, by which
        mode `auto` chooses one. The backends change neighbours in the sequence every LINE x `ttl`.
        """
        self.fold()
        if now >= self._line_until:     # neighbours inherit a failed backend's clients
            self._rng.shuffle(self._line)
            self._line_until = now + LINE * ttl
        for family, target in self.targets.items():
            mode = self.modes[family] = self.mode(family, resolvers)
            shares = {name: target.shares[name] for name in self._line if name in target.shares}
            made = self._records(family, ttl)
            records = {name: made[name] for name in shares}
            self._sequences[family] = MODES[mode](shares, records, self._places[family],
                                              self._rng, MAX_ADDRESSES[family])

    def _records(self, family, ttl):
        """Return {backend: its address record with this TTL}, from a cache after the first call."""
        if (family, ttl) not in self._made:
            self._made[family, ttl] = {name: record(SAME_NAME, family, ttl, address)
                                       for name, address in self._addresses[family].items()}
        return self._made[family, ttl]

    def mode(self, family, resolvers):
        """Return the mode for the answers of an address family when `resolvers` ask in a TTL."""
        return mode_for(self._options.mode, self.targets[family].shares, MAX_ADDRESSES[family],
                        resolvers)

    def is_outgrown(self, resolvers):
        """Return whether `auto` would change the mode, now that `resolvers` ask in a TTL."""
        return self._options.mode == AUTO and any(
            self.mode(family, resolvers) != mode for family, mode in self.modes.items())

    def of(self, family):
        """Return the sequence of an address family, A or AAAA."""
        return self._sequences[family]

    def document(self):
        """Return {given: answers counted by backend, targets: each family's shares} for JSON."""
        return {'given': [[type_text(family), name, self.given[family, name], round(expected, 3)]
                          for (family, name), expected in self.expected.items()],
                'targets': {type_text(family): {
                    'mode': self.modes[family], 'size': self._sequences[family].size,
                    'chances': rounded(self._sequences[family].chances), **target.document()}
                    for family, target in self.targets.items()}}

    def fold(self):
        """Add the answers given since the last call to the counts of answers by backend."""
        for family, sequence in self._sequences.items():
            times = 0
            for answer, given in sequence.counts():
                times += given
                for name in answer.backends:
                    self.given[family, name] += given
            for name, chance in sequence.chances.items():
                self.expected[family, name] += chance * times
