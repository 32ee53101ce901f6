"""One run of a scenario with a policy and a seed."""
import gc
from contextlib import contextmanager
from dataclasses import replace

from swift_lb.errors import ConfigError
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.contenders import contender_factory
from swift_lb.sim.measures import fair_parts, figures


def run(scenario, label, seed):
    """Simulate `scenario` with the policy `label` and the random `seed`; return its Figures."""
    with uncollected():
        cluster = Cluster(scenario, contender_factory(label), seed)
        tally = cluster.run()
        fair = fair_parts(scenario, cluster.objects)
        return figures(tally, fair, scenario.warm_up, scenario.seconds)


@contextmanager
def uncollected():
    """A context in which Python's garbage collector is off, since its scans halve the speed.

    Simulated reads create no reference cycles; the objects of a run are freed together with it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def lasting(scenario, seconds):
    """Return `scenario` with length `seconds`; raises ConfigError unless its warm-up is shorter."""
    if seconds <= scenario.warm_up:
        raise ConfigError([f'{scenario.name}: {seconds:g} s must be more than its warm-up of '
                           f'{scenario.warm_up:g} s'])
    return replace(scenario, seconds=seconds)


def shortened(scenario, factor, margin=20.0):
    """Return `scenario` with `factor` times its measured time, but long enough for all its events.

    The measured time is what follows the warm-up. It becomes 2 s at least, and the scenario
    continues for `margin` seconds after its last event; but it never becomes longer than it was.
    """
    measured = scenario.seconds - scenario.warm_up
    instants = [instant for event in scenario.events for instant in (event.at, event.until)
                if 0 < instant < scenario.seconds]
    least = max(instants) + margin if instants else 0.0
    return replace(scenario, seconds=min(
        scenario.seconds, max(scenario.warm_up + max(2.0, round(measured * factor)), least)))
