"""How many reads the simulator makes per second of a core, everything included.

    python test/bench/simulator.py [POLICY ...]

Simulates the static scenario, `paper`, and 128 hosts of 8 workers before 1,000 disks, `paper-128`,
with each policy (shuffle, if none is named), and prints reads begun by clients per second: building
the cluster, simulating and computing the figures. Exits 1 if `shuffle` makes fewer than 40,000 on
either, so run it on a machine that does nothing else.
"""
import resource
import sys

from swift_lb.clock import monotonic
from swift_lb.sim import shipped
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.contenders import make
from swift_lb.sim.measures import fair_parts, figures
from swift_lb.sim.run import lasting, uncollected

SCENARIOS = {'paper': 1000.0, 'paper-128': 10.0}     # seconds of virtual time
LEAST, ROUNDS = 40000, 3


def rate(name, policy):
    """Return the reads per second of the best of some rounds."""
    scenario = lasting(shipped.load(name), SCENARIOS[name])
    best = 0.0
    for seed in range(1, ROUNDS + 1):
        begun = monotonic()
        with uncollected():
            cluster = Cluster(scenario, make(policy), seed)
            tally = cluster.run()
        figures(tally, fair_parts(scenario, cluster.objects), scenario.warm_up, scenario.seconds)
        reads = len(tally.ended_at) + len(tally.failed_at)
        best = max(best, reads / (monotonic() - begun))
    return best


def main(policies):
    """Print a line for each scenario and policy; return the exit status."""
    found = {}
    for name in SCENARIOS:
        for policy in policies:
            found[name, policy] = rate(name, policy)
            print(f'{name:<12} {policy:<20} {found[name, policy]:10,.0f} reads/s', flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f'at most {peak:,.0f} MiB')
    return int(any(value < LEAST for (_name, policy), value in found.items()
                   if policy == 'shuffle'))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:] or ['shuffle']))
