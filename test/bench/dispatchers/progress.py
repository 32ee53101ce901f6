"""How a bench goes, for who waits."""
import os
import sys


def progress(bench):
    """Return what says a sentence of the bench so called on stderr, and how busy the machine is."""
    def say(text):
        print(f'{bench}: {text}; load {os.getloadavg()[0]:.1f}', file=sys.stderr, flush=True)
    return say
