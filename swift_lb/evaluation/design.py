"""The order of a plan's runs: policies take turns, and each round begins with another policy."""
from swift_lb.evaluation.plan import ALONE, FULL, MINIMAL, EvaluationStep, lengths_of
from swift_lb.experiment.runs import rotated

AROUND = 4.0     # seconds of a run besides ramp-up and runtime: proxies, workers, logins
START = 12.0     # seconds until a lab is up and the objects are written


def steps(plan):
    """Return a list of all EvaluationSteps of `plan`, in the order in which they are run.

    First come the runs of each node alone. Then, repeat by repeat, come blocks of one object size
    and one number of workers: every policy has one run in a block, and each block begins with
    another policy.
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
    """Yield the steps that measure each node alone: one at minimal load, one at saturation."""
    if plan.on_lab:
        for node, slots in enumerate(plan.place.slots, 1):
            for workers in (MINIMAL, max(FULL, 4 * (slots or 0))):
                yield EvaluationStep(f'{ALONE}{node}', plan.proxy_workers[0], plan.sizes[0],
                                     workers, 1)


def length(plan, some):
    """Return the seconds that the runs of the EvaluationSteps `some` of `plan` take together."""
    return sum(sum(lengths_of(plan, step)) + AROUND for step in some)


def estimate(plan, some):
    """Return the expected seconds of the EvaluationSteps `some` of `plan`, preparation included."""
    return START + length(plan, some)
