"""Makes the Instruction, the same on every node that has the same Reports. Pure."""
import hashlib
import json

from swift_lb.model import GONE
from swift_lb.plan.balanced import balanced
from swift_lb.plan.decision import make_instruction, members
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.tllb import tllb

RULES = {'balanced': balanced, 'tllb': tllb}
FIRST_ROUND = 2.0   # intervals for which an agent's first plan waits for nodes that do not report
VALID = 5.0         # intervals of the slowest node for which an Instruction is valid
MIN_VALID = 5.0     # seconds


def plan(reports, previous, now, options=DEFAULTS):
    """Return the Instruction that follows from `reports`, None if all nodes are long gone.

    `reports` are {name: Heard}. What nodes are to do depends only on the reports, and on which of
    them are late or gone at `now`, by the clock of Heard.at; `previous`, this node's last
    Instruction or None, affects the generation alone.
    """
    counted = members(reports, now, options)
    if not counted:
        return None
    nodes, panic = RULES[options.rules](counted, options)
    nodes = tuple(node for node in nodes if node.state != GONE or node.dns)
    digest = digest_of(nodes)
    valid = max(MIN_VALID, VALID * max(member.report.interval for member in counted))
    return make_instruction(generation(reports, previous, digest), now + valid, options.rules,
                            panic, nodes, digest)


def with_memory(report, own, instruction):
    """Return a node's Report with what the next plans need to know of its last Instruction.

    `own` is the node's NodeInstruction; it and `instruction` are None if there is none.
    """
    if own is not None:
        report = report._replace(told=own.state, weight=own.weight, keep=own.keep, take=own.take)
    if instruction is not None:
        report = report._replace(generation=instruction.generation, digest=instruction.digest)
    return report


def digest_of(nodes):
    """Return sixteen characters, the same for NodeInstructions that tell nodes to do the same."""
    orders = [(node.node, node.proxy, node.state, node.dns, node.keep, node.take) for node in nodes]
    return hashlib.sha256(json.dumps(orders).encode()).hexdigest()[:16]


def generation(reports, previous, digest):
    """Return the number of the new Instruction, whose digest is `digest`.

    `reports` are {name: Heard}, `previous` is the last Instruction or None. The number is the
    highest of theirs if that comes with the same digest, else one more: a Lamport clock that the
    reports carry. No node assigns numbers, and they never decrease.
    """
    known = [(received.report.digest, received.report.generation) for received in reports.values()]
    if previous is not None:
        known.append((previous.digest, previous.generation))
    same = [number for its, number in known if its == digest]
    highest = max((number for _its, number in known), default=0)
    return max(same) if same and max(same) == highest else highest + 1
