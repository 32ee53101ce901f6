"""The runs of a plan, and their order: policies take turns, also at being first."""
from swift_lb.evaluation.plan import ALONE, FULL, MINIMAL, EvaluationStep, lengths_of
from swift_lb.experiment.runs import rotated

AROUND = 4.0     # seconds of a run besides ramp-up and runtime: proxies, workers, logins
START = 12.0     # seconds until a lab is up and the objects are written


def steps(plan):
    """Return every EvaluationStep of `plan` in order.

    First each node alone; then, repeat by repeat, blocks of one size and number of workers in which
    every policy has a turn, each block beginning with another policy.
    """
    in_order, turn = [*_alone(plan)], 0
    for repeat in range(1, plan.repeats + 1):
        for block in _blocks(plan):
            in_order += [EvaluationStep(policy, *block, repeat)
                      for policy in rotated(plan.policies, turn)]
            turn += 1
    return in_order


def _blocks(plan):
    for size in plan.sizes:
        for workers in plan.workers:
            yield plan.proxy_workers[0], size, workers
    for proxy_workers in plan.proxy_workers[1:]:
        yield proxy_workers, plan.sizes[0], plan.herding_workers


def _alone(plan):
    """Yield two steps for each node: minimal load, and saturation."""
    if plan.on_lab:
        for node, slots in enumerate(plan.place.slots, 1):
            for workers in (MINIMAL, max(FULL, 4 * (slots or 0))):
                yield EvaluationStep(f'{ALONE}{node}', plan.proxy_workers[0], plan.sizes[0],
                                     workers, 1)


def length(plan, some):
    """Return the seconds that the EvaluationSteps `some` of `plan` take together."""
    return sum(sum(lengths_of(plan, step)) + AROUND for step in some)


def estimate(plan, some):
    """Return the seconds for the start of the subject and the EvaluationSteps `some` of `plan`."""
    return START + length(plan, some)
