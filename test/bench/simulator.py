"""How many reads the simulator makes per second of a core, everything included.

    python test/bench/simulator.py [POLICY ...]

Simulates the static scenario, `paper`, and 128 hosts of 8 workers before 1,000 disks, `paper-128`,
with each policy (shuffle, if none is named), and prints the reads per second of processor time:
building the cluster, simulating, computing the figures, and throwing it all away. Exits 1 if
`shuffle` makes fewer than 40,000 of `paper`. In `paper-128` nearly every read is the first of its
worker and device; memory bounds that rate.
"""
import gc
import resource
import sys
from time import process_time

from swift_lb.sim import shipped
from swift_lb.sim.run import lasting, run

SCENARIOS = {'paper': 1000.0, 'paper-128': 10.0}     # seconds of virtual time
MIN_RATE, ROUNDS = 40000, 3     # reads/s


def rate(name, policy):
    """Return the reads of a scenario per second of processor time, the best of ROUNDS."""
    scenario = lasting(shipped.load(name), SCENARIOS[name])
    measured = 1 - scenario.warm_up / scenario.seconds
    best = 0.0
    for seed in range(1, ROUNDS + 1):
        begun = process_time()
        figures = run(scenario, policy, seed)
        gc.collect()        # the garbage of a run counts for that run
        best = max(best, figures.reads / measured / (process_time() - begun))
    return best


def main(policies):
    """Print a line for each scenario and policy; return the exit status."""
    rates = {}
    for name in SCENARIOS:
        for policy in policies:
            rates[name, policy] = rate(name, policy)
            print(f'{name:<12} {policy:<20} {rates[name, policy]:10,.0f} reads/s', flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f'at most {peak:,.0f} MiB')
    return int(any(value < MIN_RATE for key, value in rates.items()
                   if key == ('paper', 'shuffle')))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:] or ['shuffle']))
