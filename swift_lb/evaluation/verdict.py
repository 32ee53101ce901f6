"""A claim, and the verdict on it."""
from typing import NamedTuple

YES, NO, PARTLY, OPEN, UNKNOWN = 'yes', 'no', 'partly', 'can not be told', 'not measured'


class Claim(NamedTuple):
    """A sentence, whether the data support it, and the numbers."""

    source: str      # where it is claimed
    text: str
    verdict: str
    evidence: str


def agreed(verdicts):
    """Return the verdict of all repeats, if there are several and they agree."""
    found = set(verdicts)
    if not found or found == {UNKNOWN}:
        return UNKNOWN
    return found.pop() if len(found) == 1 and len(verdicts) > 1 else OPEN
