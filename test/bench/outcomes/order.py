"""What is promised of the cost of an order."""
import tempfile

from bench.outcomes.outcome import Outcome, Target

MOST = Target('<=', 20)     # us


def orders(_lab, repeats, say):
    """Return the Outcomes of ordering 3 replicas with the book that the workers of a host share.

    Of the order: a Snapshot, the policy's order, and that the first is noted as chosen. And of all
    of sort_nodes, Swift's own shuffle included, which calls it, and how many times plain Swift's
    that is.
    """
    from bench import cost  # late: it brings Swift
    with tempfile.TemporaryDirectory() as directory:
        cost.swift_dir(directory)
        ours, *_others = cost.sharing(directory, 'adaptive', f'{directory}/book')
        plain = cost.application(directory, ours=False)
        timed = {'order': cost.order(ours), 'sort_nodes': cost.sort_nodes(ours),
                 'plain': cost.sort_nodes(plain)}
        runs = [cost.interleaved(timed) for _ in range(repeats)]
    say(f'{len(runs)} x {cost.ROUNDS} rounds')
    return [Outcome('us an order of 3 replicas takes', tuple(run['order'] * 1e6 for run in runs),
                    MOST),
            Outcome('us all of sort_nodes takes', tuple(run['sort_nodes'] * 1e6 for run in runs)),
            Outcome("all of sort_nodes, x plain Swift's",
                    tuple(run['sort_nodes'] / run['plain'] for run in runs))]
