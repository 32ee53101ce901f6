"""From the same reports, the same Instruction, on every node. Pure."""
import hashlib
import json

from swift_lb.model import GONE, Instruction
from swift_lb.plan.balanced import balanced
from swift_lb.plan.membership import members
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.tllb import tllb

RULES = {'balanced': balanced, 'tllb': tllb}
VALID = 5.0         # intervals of the slowest node that an Instruction holds
LEAST_VALID = 5.0   # seconds


def plan(reports, previous, now, options=DEFAULTS):
    """Return the Instruction of {name: Heard}; `now` is an instant of the clock they were heard by.

    What is to be done depends on what is in the reports alone, and on which of them are late or
    gone; `previous`, the last Instruction of this node or None, only numbers it. None of no reports
    that count.
    """
    there = members(reports, now, options)
    if not there:
        return None
    parts, panic = RULES[options.rules](there, options)
    parts = [part for part in parts if part.state != GONE or part.dns]
    digest = digest_of(parts)
    valid = max(LEAST_VALID, VALID * max(member.report.interval for member in there))
    return Instruction(generation(reports, previous, digest), now + valid, options.rules, panic,
                       tuple(parts), digest)


def digest_of(parts):
    """Return sixteen characters that are the same where the same is to be done."""
    said = [(part.node, part.proxy, part.state, part.dns, part.keep, part.take) for part in parts]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def generation(reports, previous, digest):
    """Return the number of an Instruction: as that of all who have the same, above all others'.

    A Lamport clock, carried by the reports: nobody gives numbers, and they never go back.
    """
    known = [(heard.report.digest, heard.report.generation) for heard in reports.values()]
    if previous is not None:
        known.append((previous.digest, previous.generation))
    same = [number for its, number in known if its == digest]
    highest = max((number for _its, number in known), default=0)
    return max(same) if same and max(same) == highest else highest + 1
