"""The sort orders of `top`. Pure."""
import re

SORTS = {  # word: a field of Row; the largest first, but nodes in natural order
    'rate': 'choices_per_second', 'choices': 'choices', 'node': None, 'in-flight': 'in_flight',
    'wait': 'oldest_wait', 'first-byte': 'first_byte_time', 'throughput': 'last_throughput',
    'chunks': 'chunks', 'errors': 'errors', 'timeouts': 'timeouts',
}


def in_order(rows, word):
    """Return the rows sorted by `word` of SORTS.

    Unknown values come last, ties by choices and node.
    """
    field = SORTS[word]

    def key(row):
        value = getattr(row, field) if field else 0
        return (value is None, -(value or 0), -row.choices if field else 0, natural(row.node))
    return sorted(rows, key=key)


def natural(text):
    """Return a sort key that puts 10.0.0.9 before 10.0.0.10."""
    return [(1, int(part), '') if part.isdecimal() else (0, 0, part)
            for part in re.split(r'([0-9]+)', text) if part]
