"""Ratios of figures: one policy's to another's, in the same scenario with the same seed. Pure."""
import math

from swift_lb.experiment.runs import span


class Grid:
    """The figures of a comparison, by (scenario, policy, seed)."""

    def __init__(self, figures, scenarios, policies, seeds):
        """Take `figures`, {(scenario, policy, seed): figures}; missing ones are unknown."""
        self._figures = figures
        self.scenarios, self.policies, self.seeds = scenarios, policies, seeds

    def of(self, scenario, policy, value):
        """Return the RunSpan (median and range over all seeds) of a policy's value(figures)."""
        return span(self._values(scenario, policy, value).values())

    def to(self, reference, scenario, policy, value):
        """Return the RunSpan of value(figures) of `policy` divided by that of `reference`.

        It is the median and range of the ratios over all seeds; both runs of a ratio have one seed.
        """
        ours = self._values(scenario, policy, value)
        theirs = self._values(scenario, reference, value)
        return span(_ratio(ours[seed], theirs.get(seed)) for seed in ours)

    def mean_to(self, reference, policy, value):
        """Return the geometric mean, over all scenarios, of the median ratio that to() returns.

        None if one scenario has no ratio, because means over different scenarios are not
        comparable.
        """
        spans = [self.to(reference, scenario, policy, value) for scenario in self.scenarios]
        return geometric_mean([one.median for one in spans]) if spans and all(spans) else None

    def best(self, scenario, value, without=()):
        """Return the policy whose median of value(figures) over the seeds is least in `scenario`.

        Policies in `without` do not count; None if no other policy has figures.
        """
        medians = {policy: one.median for policy in self.policies if policy not in without
                   and (one := self.of(scenario, policy, value))}
        return min(medians, key=medians.get, default=None)

    def _values(self, scenario, policy, value):
        return {seed: value(self._figures[scenario, policy, seed]) for seed in self.seeds
                if (scenario, policy, seed) in self._figures}


def _ratio(ours, theirs):
    return None if ours is None or not theirs else ours / theirs


def geometric_mean(values):
    """Return the n-th root of the product of n values above 0."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def percentile(per_cent):
    """Return a function that takes a run's figures and returns the percentile `per_cent`.

    It is the percentile of the response times, in seconds; None if no read succeeded.
    """
    return lambda figures: figures['percentiles'].get(f'{per_cent:g}')
