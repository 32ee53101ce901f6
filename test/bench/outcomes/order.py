"""What is promised of the cost of an order."""
import tempfile

from bench.outcomes.outcome import Outcome, Target

MOST = Target('<=', 20)     # us


def orders(_lab, repeats, say):
    """Return the Outcomes of ordering 3 replicas with the book that the workers of a host share.

    Of the order: a Snapshot, the policy's order, and that the first is noted as chosen. And of all
    of sort_nodes, Swift's own shuffle included, which calls it.
    """
    from bench import cost  # late: it brings Swift
    with tempfile.TemporaryDirectory() as directory:
        cost.swift_dir(directory)
        ours, *_others = cost.sharing(directory, 'adaptive', f'{directory}/book')
        timed = {'order': cost.order(ours), 'sort_nodes': cost.sort_nodes(ours)}
        runs = [cost.interleaved(timed) for _ in range(repeats)]
    say(f'{len(runs)} x {cost.ROUNDS} rounds')
    return [Outcome(f'us {said} takes', tuple(run[name] * 1e6 for run in runs), target)
            for name, said, target in (('order', 'an order of 3 replicas', MOST),
                                       ('sort_nodes', 'all of sort_nodes', None))]
