"""Combines the repeats of each run; the source of every table, chart and claim of a report."""
from swift_lb.evaluation import node_share
from swift_lb.evaluation.plan import ALONE, MINIMAL
from swift_lb.evaluation.run_result import percentile
from swift_lb.experiment.runs import span


class RepeatedRuns:
    """The EvaluationRuns of all repeats with one policy, object size and number of workers."""

    def __init__(self, runs):
        """Take the EvaluationRuns of the repeats: at least one, and only such as have figures."""
        self.runs = runs

    def figures(self, op):
        """Return [OpFigures of each repeat] of the operation `op`; 'all' means every operation."""
        return [figures for run in self.runs for name, figures in run.ops.items()
                if op in (name, 'all')]

    def response_time(self, op='read'):
        """Return a RunSpan, median and range of repeats, of the mean response time in seconds.

        None if no operation succeeded.
        """
        return span(figures.mean for figures in self.figures(op))

    def throughput(self, op='all'):
        """Return a RunSpan, median and range of repeats, of the successes per second of `op`.

        'all' sums the operations.
        """
        return span(sum(figures.throughput for name, figures in run.ops.items()
                        if op in (name, 'all')) for run in self.runs)

    def success_ratio(self, op='read'):
        """Return the fraction of the operations `op` that succeeded; None if there were none."""
        good = sum(figures.count for figures in self.figures(op))
        bad = sum(figures.failures for figures in self.figures(op))
        return good / (good + bad) if good + bad else None

    @property
    def whole(self):
        """Whether every operation of every repeat succeeded, so that times can be compared."""
        return self.success_ratio('all') == 1

    def percentile(self, per_cent):
        """Return the response time, in s, that `per_cent` of all repeats' reads did not exceed."""
        return percentile(self.figures('read'), per_cent)

    def tail(self, per_cent):
        """Return percentile(), in s, or None if so few reads succeeded that it is the slowest."""
        many = sum(figures.count for figures in self.figures('read'))
        above = round(many * (1 - per_cent / 100), 6)
        return self.percentile(per_cent) if above >= 1 else None

    def tail_of_each(self, per_cent):
        """Return the RunSpan of tail(per_cent) of each single repeat, in seconds."""
        return span(RepeatedRuns([run]).tail(per_cent) for run in self.runs)

    def shares(self):
        """Return {node: fraction of all repeats' reads that it served in the measured windows}."""
        return node_share.shares(node_share.total(
            [one for run in self.runs for one in node_share.inside(run.reads, run.window)]))

    def share_of(self, nodes):
        """Return a RunSpan, median and range of repeats, of the fraction of reads at `nodes`.

        None if it is unknown which node served the reads.
        """
        each = [node_share.shares(node_share.total(node_share.inside(run.reads, run.window)))
                for run in self.runs]
        return span(sum(shares.get(node, 0) for node in nodes) for shares in each if shares)

    def crowding(self):
        """Return a RunSpan, median and range of repeats, of the busiest node's share of reads.

        It is the share in one second, as the mean over seconds; None if unknown.
        """
        return span(node_share.crowding(node_share.inside(run.reads, run.window))
                    for run in self.runs)


class Results:
    """The measurements of a plan so far, found by policy, object size and number of workers."""

    def __init__(self, plan, runs):
        """Take the Plan and its EvaluationRuns so far; `self.faults` lists those of failed runs."""
        self.plan, self._runs = plan, [*runs]
        self.faults = [run for run in runs if run.fault]
        self._points = {}
        for run in runs:
            if not run.fault:
                self._points.setdefault(run.step[:-1], []).append(run)
        self._points = {key: RepeatedRuns(repeats) for key, repeats in self._points.items()}

    def point(self, policy, size, workers, proxy_workers=None):
        """Return the RepeatedRuns of a policy, size and number of workers, or None.

        It is None if no run of them has figures. `proxy_workers` is the number of worker processes
        of each proxy, by default the plan's first.
        """
        processes = self.plan.proxy_workers[0] if proxy_workers is None else proxy_workers
        return self._points.get((policy, processes, size, workers))

    def line(self, policy, size):
        """Return {workers: RepeatedRuns} of a policy and size, for numbers that have figures."""
        return {workers: point for workers in sorted(self.plan.workers)
                if (point := self.point(policy, size, workers))}

    def repeats(self):
        """Return a list of Results, one for each repeat, with its EvaluationRuns only."""
        numbers = sorted({run.step.repeat for run in self._runs if not run.step.node})
        return [Results(self.plan, [run for run in self._runs if run.step.repeat == number])
                for number in numbers]

    def alone(self):
        """Return {node: (RepeatedRuns at minimal load, at saturation)} of nodes measured alone."""
        pairs = {}
        for (policy, _processes, _size, workers), point in self._points.items():
            if policy.startswith(ALONE):
                pair = pairs.setdefault(int(policy.removeprefix(ALONE)), {})
                pair[workers != MINIMAL] = point
        return {node: (pair[False], pair[True]) for node, pair in sorted(pairs.items())
                if len(pair) == 2}
