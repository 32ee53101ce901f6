"""Prepared answers: only the parts that differ between queries of one form are filled in. Pure.

Two queries have the same form if they differ at most in

    the id, the case of the letters (0x20), the data of a cookie, and
    the first label of the name, if it has the same length and no such name is in the zone

and their answers differ in exactly these, and in the addresses, which come from a sequence. So an
answer that was made once serves as a pattern, and only the first query of a form is parsed.

    query       id  flags, counts  name  NUL, type, class, OPT ... cookie's code and length  cookie
                    `---------- the form, without the name -------------------------------'

A form is only remembered for a query that the parser has read as one question, with the cookie, if
there is one, as the last option.
"""
from swift_lb.wire.dns_query import HEADER

MAX_PATTERNS = 4096             # patterns that are kept
QUESTION = 5            # bytes of a question after its name's labels: NUL, type, class
# From the end of the name to the data of an option that is the only one in an OPT record.
OPT_HEADER = 20
# A cookie's code and length, of a client's and with a server's (RFC 7873): bytes to the end.
OPTIONS = {b'\0\x0a\0\x08': OPT_HEADER + 8, b'\0\x0a\0\x18': OPT_HEADER + 24}


class Pattern:
    """A prepared answer to all queries that differ only in id, letter case, cookie, first label."""

    __slots__ = ('body', 'head', 'labels', 'sequence', 'tail', 'times')

    def __init__(self, head, sequence, body, tail, labels):
        """Take the parts of the answer.

        `head` is the header's flags and counts; the records are in `body` or come from `sequence`;
        `tail` is the OPT record without a cookie's data, `labels` (query type, result) for counts.
        """
        self.head, self.sequence, self.body, self.tail = head, sequence, body, tail
        self.labels, self.times = labels, 0


class Parts:
    """A DNS query divided into its name, its cookie, and its form: all other bytes but the id."""

    __slots__ = ('cookie', 'end', 'form', 'name')

    def __init__(self, data):
        """Divide `data`, a whole DNS message.

        If it is not a query, its parts match no pattern.
        """
        self.end = end = data.find(0, HEADER)
        rest = data[end:]
        if OPTIONS.get(rest[OPT_HEADER - 4:OPT_HEADER]) == len(rest):
            self.cookie, rest = rest[OPT_HEADER:], rest[:OPT_HEADER]
        else:
            self.cookie = b''
        self.form = data[2:HEADER] + rest
        self.name = data[HEADER:end].lower()


class Patterns:
    """Finds the Pattern, a prepared answer, that suits the Parts of a query."""

    def __init__(self):
        self._plain, self._cookied, self._count = {}, {}, 0

    def find(self, parts, names):
        """Return the Pattern for the Parts of a query, or None; `names` are the zone's names."""
        form = (self._cookied if parts.cookie else self._plain).get(parts.form)
        if form is None:
            return None
        name = parts.name
        pattern = form[0].get(name)
        if pattern is None and name and name not in names:
            return form[1].get(sibling(name))
        return pattern

    def add(self, parts, names, pattern):
        """Keep the Pattern for a query that has been parsed; `names` are the zone's names."""
        forms = self._cookied if parts.cookie else self._plain
        of_names, of_siblings = forms.setdefault(parts.form, ({}, {}))
        length, parent = sibling(parts.name) if parts.name else (0, b'')
        if parts.name in names or not parent:
            of_names[parts.name] = pattern
        else:
            of_siblings[length, parent] = pattern
        self._count += 1

    def is_full(self):
        """Return whether `forget` must be called before the next `add`."""
        return self._count >= MAX_PATTERNS

    def forget(self):
        """Drop all patterns; the next query of each form is parsed and answered in full again."""
        self._plain, self._cookied, self._count = {}, {}, 0

    def __iter__(self):
        for of_names, of_siblings in [*self._plain.values(), *self._cookied.values()]:
            yield from of_names.values()
            yield from of_siblings.values()


def sibling(name):
    """Return a key shared by names that differ only in a first label of the same length.

    It is (length of the first label, rest of the name). The length matters, because a record may
    hold a pointer into the name.
    """
    length = name[0]
    return length, name[length + 1:]
