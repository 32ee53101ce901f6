"""The promises about the cost of a read."""
import tempfile

from bench.outcomes.outcome import Bound, ClaimFigure


def orders(_lab, repeats, say):
    """Return the ClaimFigures of a read's cost, with the book that a host's workers share.

    Measured are an order of 3 replicas (a Snapshot, the policy's order, and recording the first as
    chosen); sort_nodes, which calls Swift's own shuffle, and measuring a read, each repeated by
    itself; the two in turn; and these with limits, the race of a hedged read, and a report. The
    unit is Swift's shuffle, in the same run.
    """
    from bench import cost  # late: it brings Swift
    with tempfile.TemporaryDirectory() as directory:
        cost.swift_dir(directory)
        ours, *_others = cost.sharing(directory, 'adaptive', f'{directory}/book')
        plain = cost.application(directory, ours=False)
        runs = [cost.promised(ours, plain) for _ in range(repeats)]
    say(f'{len(runs)} x {cost.ROUNDS} rounds')

    def outcome(what, name, most=None):
        return ClaimFigure(what, tuple(run[name] / run[cost.PLAIN] for run in runs),
                           most and Bound('<=', most))
    return [outcome("an order of 3 replicas, x Swift's shuffle", 'an order', cost.ORDER),
            outcome("sort_nodes and measuring, x Swift's shuffle", 'both', cost.ALL),
            outcome("the two in turn, x Swift's shuffle", 'in turn'),
            outcome("... with limits, race and report, x Swift's shuffle", 'hedged'),
            ClaimFigure("us Swift's shuffle takes", tuple(run[cost.PLAIN] * 1e6 for run in runs))]
