"""What a claim is, and what can be said of it."""
from typing import NamedTuple

YES, NO, PARTLY, OPEN, UNKNOWN = 'yes', 'no', 'partly', 'can not be told', 'not measured'


class Claim(NamedTuple):
    """A sentence, whether the data bear it out, and the numbers."""

    source: str      # who says so
    text: str
    verdict: str
    evidence: str


def agreed(verdicts):
    """Return the verdict of all repeats, if there are several and they agree."""
    found = set(verdicts)
    if not found or found == {UNKNOWN}:
        return UNKNOWN
    return found.pop() if len(found) == 1 and len(verdicts) > 1 else OPEN
