"""The 8-byte words of a device's record in shared memory, declared by name, type and bounds.

A module declares its words with double() and count(), which return the word's index:

    CONNECT_TIME = RECORD.double('connect_time', NAN, unknown_or(AMOUNT))

From the table come the struct of a record, its blank bytes, and is_plausible_record().
"""
from itertools import groupby
from struct import Struct
from typing import NamedTuple

ABSURD = 1e9            # seconds, requests or samples: no measured value is greater
WILD = 1e15             # bytes per second: no measured value is greater
NEVER = float('inf')    # the instant at which an unused device was last used
NAN = float('nan')      # unknown

# Bounds: a condition on the word `{0}`, in which `latest` is the latest credible instant.
ANY = 'True'
AMOUNT = '0.0 <= {0} < ABSURD'
SIGNED = '-ABSURD < {0} < ABSURD'
INSTANT = '0.0 <= {0} <= latest'
NEVER_OR_INSTANT = '({0} == NEVER or 0.0 <= {0} <= latest)'


def unknown_or(bounds):
    """Return `bounds`, a condition on `{0}` as text, extended to admit NaN, which means unknown."""
    return f'({{0}} != {{0}} or {bounds})'


class Field(NamedTuple):
    """The declaration of one word of a record, which has 8 bytes in native byte order."""

    name: str
    type: str               # of struct: `d`, a double, or `Q`, an unsigned integer
    default: float
    bounds: str             # ANY, or a condition


class FieldTable:
    """The words of a device's record, or of a part of one, in their order in memory."""

    def __init__(self):
        self.fields = []

    def __len__(self):
        return len(self.fields)

    def double(self, name, default, bounds):
        """Declare a word that is a double; return its index. `bounds` is a condition as text."""
        self.fields.append(Field(name, 'd', default, bounds))
        return len(self) - 1

    def count(self, name):
        """Declare a word that is an unsigned integer, 0 at first, and return its index."""
        self.fields.append(Field(name, 'Q', 0, ANY))
        return len(self) - 1

    def include(self, table):
        """Declare all words of another FieldTable, and return the index of the first."""
        begin = len(self)
        self.fields += table.fields
        return begin

    @property
    def names(self):
        """The names of the words, in order."""
        return [field.name for field in self.fields]

    @property
    def defaults(self):
        """The values of a new record's words, a tuple."""
        return tuple(field.default for field in self.fields)

    def struct(self):
        """Return the struct.Struct that packs all words of a record."""
        types = groupby(field.type for field in self.fields)
        return Struct(''.join(f'{len(list(run))}{letter}' for letter, run in types))

    def plausibility(self, latest):
        """Return a function of the tuple of a record's words: whether all are within their bounds.

        `latest` is an expression as text, in names of words, for the latest possible instant. The
        function is compiled from the table: it runs for each record of each order, and a loop over
        the fields would take ten times as long.
        """
        bounds = ' and '.join(field.bounds.format(field.name) for field in self.fields
                              if field.bounds != ANY)
        source = (f'def is_plausible(words):\n'
                  f'    {", ".join(self.names)} = words\n'
                  f'    latest = {latest}\n'
                  f'    return {bounds}\n')
        namespace = {'ABSURD': ABSURD, 'WILD': WILD, 'NEVER': NEVER}
        exec(source, namespace)
        return namespace['is_plausible']
