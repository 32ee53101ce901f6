"""`static`: equal shares for ever, which is round robin; what all else is compared with."""
from swift_lb.model import UP, Instruction, Part


def round_robin(reports, _previous, now, _options):
    """Return an Instruction of equal shares to all that have ever been heard of.

    And of equal loads, so that dispatchers which go by expected times try each other.
    """
    names = sorted(reports)
    return Instruction(1, now + 1e9, 'static', False, tuple(
        Part(name, f'{name}:8080', UP, 1.0, 1.0, 1 / len(names), 1.0, 0.0)
        for name in names), 'static')
