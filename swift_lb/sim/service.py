"""How long a device takes: distributions by name, as a scenario writes them.

    constant 10ms         always
    exponential 10ms      the mean; memoryless, as in queueing theory and in C3's simulator
    gamma 10ms 0.5        the mean, and the coefficient of variation; seeks and turns of a disk
    uniform 5ms 15ms      the least and the most
"""
from swift_lb.sim.quantity import number, seconds


def distribution(text):
    """Return (draw, mean, variation) of a text as above: `draw(rng)` returns seconds.

    The variation is the standard deviation over the mean. Raises ValueError with a sentence.
    """
    name, *words = text.split() or ['']
    if name not in KINDS:
        raise ValueError(f'{name!r}: a service time is one of {", ".join(KINDS)}')
    parsers, make = KINDS[name]
    if len(words) != len(parsers):
        raise ValueError(f'{name} takes {len(parsers)} values, not {len(words)}')
    values = [parse(word) for parse, word in zip(parsers, words, strict=True)]
    if not all(values):
        raise ValueError(f'{text!r}: every value must be more than 0')
    return make(*values)


def _constant(mean):
    return (lambda rng: mean), mean, 0.0


def _exponential(mean):
    rate = 1 / mean
    return (lambda rng: rng.expovariate(rate)), mean, 1.0


def _gamma(mean, variation):
    shape = 1 / variation ** 2
    return (lambda rng: rng.gammavariate(shape, mean / shape)), mean, variation


def _uniform(least, most):
    mean = (least + most) / 2
    return (lambda rng: rng.uniform(least, most)), mean, abs(most - least) / 12 ** 0.5 / mean


KINDS = {
    'constant': ((seconds,), _constant),
    'exponential': ((seconds,), _exponential),
    'gamma': ((seconds, number), _gamma),
    'uniform': ((seconds, seconds), _uniform),
}
