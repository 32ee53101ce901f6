"""Several nodes that plan: after losses all have the same Instruction with the same number."""
import random

import pytest

from swift_lb.model import UP, Heard, Report
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import RULES, plan

ROUNDS, AFTER = 25, 2


class Planner:
    """A node that makes Reports and Instructions; its clock shows `begun` at second 0 of a test."""

    def __init__(self, name, begun, options):
        self.name, self.begun, self.options = name, begun, options
        self.heard, self.instruction, self.sequence = {}, None, 0

    def report(self, chance):
        """Return its Report: random metrics, and what its last Instruction told it, if any."""
        self.sequence += 1
        metrics = {'in_flight': float(chance.randrange(100)), 'response_time': chance.random(),
                   'requests': chance.random() * 500, 'cpu': chance.random(),
                   'memory': chance.random(), 'network': chance.random()}
        report = Report(self.name, 1, self.sequence, 1e9, 1.0, metrics)
        own = self.instruction and self.instruction.of(self.name)
        if own:
            report = report._replace(told=own.state, weight=own.weight, keep=own.keep,
                                     take=own.take)
        if self.instruction:
            report = report._replace(generation=self.instruction.generation,
                                     digest=self.instruction.digest)
        return report

    def receive(self, report, second):
        self.heard[report.node] = Heard(report, self.begun + second)

    def plan(self, second):
        self.instruction = plan(self.heard, self.instruction, self.begun + second, self.options)


def one_round(planners, second, chance, loss):
    """Let each planner receive its own Report, each other one unless lost, and then plan.

    `loss` is the probability that a Report does not reach one receiver.
    """
    for report in [planner.report(chance) for planner in planners]:
        for planner in planners:
            if planner.name == report.node or chance.random() >= loss:
                planner.receive(report, second)
    for planner in planners:
        planner.plan(second)


@pytest.mark.parametrize('rules', RULES)
@pytest.mark.parametrize('loss', [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize('seed', range(5))
def test_all_nodes_agree_within_two_rounds_after_lost_reports(rules, loss, seed):
    chance = random.Random(seed)
    options = DEFAULTS._replace(rules=rules)
    planners = [Planner(f'node-{number}', 1024.0 * chance.randrange(1000), options)
                for number in range(chance.randrange(2, 8))]
    differed, highest = False, 0
    for second in range(ROUNDS):
        one_round(planners, second, chance, loss)
        numbers = [planner.instruction.generation for planner in planners]
        assert min(numbers) >= 1
        differed |= len({planner.instruction.digest for planner in planners}) > 1
        highest = max(highest, *numbers)
    for second in range(ROUNDS, ROUNDS + AFTER):
        one_round(planners, second, chance, 0.0)
    results = {(each.instruction.nodes, each.instruction.generation, each.instruction.digest,
                each.instruction.panic) for each in planners}
    assert differed, 'nothing was lost'
    assert len(results) == 1
    (nodes, generation, _digest, panic), = results
    assert {node.state for node in nodes} == {UP}
    assert not panic
    assert generation > highest


@pytest.mark.parametrize('rules', RULES)
def test_a_generation_number_stands_for_one_instruction_only(rules):
    """No Report is lost here; if some are, two Instructions may have one number for a while."""
    chance = random.Random(1)
    planners = [Planner(f'node-{number}', 64.0 * number, DEFAULTS._replace(rules=rules))
                for number in range(4)]
    known = {}
    for second in range(30):
        one_round(planners, second, chance, 0.0)
        for planner in planners:
            result = planner.instruction
            assert known.setdefault(result.generation, result.digest) == result.digest
    assert len(known) > 20
