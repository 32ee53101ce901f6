"""Random streams of service times: the same key gives the same sequence on every machine."""
import math
import random

SIGMA = 1.0  # of the lognormal's logarithm: a coefficient of variation of 1.31, a longer tail

DRAW = {
    'constant': lambda rng, mean: mean,
    'exponential': lambda rng, mean: rng.expovariate(1 / mean),
    # The mean of a lognormal is exp(mu + sigma^2 / 2).
    'lognormal': lambda rng, mean: rng.lognormvariate(math.log(mean) - SIGMA ** 2 / 2, SIGMA),
}


def stream(*key):
    """Return a random.Random seeded by `key`, such as (seed, node, device)."""
    return random.Random('/'.join(map(str, key)))


def service_times(rule, rng):
    """Yield seconds for ever, of the distribution of `rule`, pauses included."""
    draw = DRAW[rule.dist]
    while True:
        pauses = rule.pause and rng.random() < rule.pause
        yield draw(rng, rule.mean) + (rule.pause_time if pauses else 0.0)
