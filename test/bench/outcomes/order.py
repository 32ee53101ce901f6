"""What is promised of the cost of an order."""
import tempfile

from bench.outcomes.outcome import Outcome, Target

MOST = Target('<=', 20)     # us


def orders(_lab, repeats, say):
    """Return the Outcome of ordering 3 replicas with the book that the workers of a host share."""
    from bench import cost  # late: it brings Swift
    with tempfile.TemporaryDirectory() as directory:
        cost.swift_dir(directory)
        ours, *_others = cost.sharing(directory, 'adaptive', f'{directory}/book')
        values = [cost.interleaved({'ours': cost.sort_nodes(ours)})['ours'] * 1e6
                  for _ in range(repeats)]
    say(f'{len(values)} x {cost.ROUNDS} rounds')
    return [Outcome('us an order of 3 replicas takes', tuple(values), MOST)]
