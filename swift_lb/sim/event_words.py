"""What an [event NAME] of a scenario file can say: one word of ACTIONS, and when and where.

    slow = 20                 every service takes so many times as long
    later = 50ms              every seek takes so much longer
    hang = yes                nothing is served
    fail = 503 in 1ms         everything is refused, so soon
    pause = 1% 500ms          so many of the seeks take so much longer
    fluctuate = 3 every 50ms  each interval the mean is itself or a third of it, at random (C3's)
    rebuild = 20/s 1MiB       so many background reads of this size
    restart = worker 1        a proxy's worker loses what it alone knew
    expire = yes              every book forgets everything
"""
import re

from swift_lb.sim import events
from swift_lb.sim.quantity import number, positive, seconds, share, size, whole


def _shaped(text, shape, example):
    match = re.fullmatch(shape, text)
    if not match:
        raise ValueError(f'{text!r} must be written as {example}')
    return match.groups()


def _yes(text):
    return _shaped(text, 'yes', '`yes`')


def _fail(text):
    status, soon = _shaped(text, r'([45]\d\d) +in +(\S+)', '`503 in 1ms`')
    return int(status), seconds(soon)


def _pause(text):
    fraction, length = _shaped(text, r'(\S+) +(\S+)', '`1% 500ms`')
    return share(fraction), seconds(length)


def _fluctuate(text):
    factor, interval = _shaped(text, r'(\S+) +every +(\S+)', '`3 every 100ms`')
    return positive(number, factor), positive(seconds, interval)


def _rebuild(text):
    rate, length = _shaped(text, r'(\S+)/s +(\S+)', '`20/s 1MiB`')
    return positive(number, rate), size(length)


def _restart(text):
    return (whole(_shaped(text, r'worker +(\S+)', '`worker 1`')[0]) - 1,)


ACTIONS = {     # word: parser of its values
    'slow': lambda text: (positive(number, text),), 'later': lambda text: (seconds(text),),
    'hang': _yes, 'fail': _fail, 'pause': _pause, 'fluctuate': _fluctuate, 'rebuild': _rebuild,
    'restart': _restart, 'expire': _yes}
REPEATED = ('fluctuate', 'rebuild')
OF_PROXIES = {'restart': 'forget', 'expire': 'expire'}     # word: method of the Cluster


def event(action, values, nodes, times):
    """Return the event of an action and its parsed values; `times` has `at` and perhaps `until`."""
    if action in OF_PROXIES:
        return events.OfWorkers(OF_PROXIES[action], *values, **times)
    kind = events.Repeated if action in REPEATED else events.During
    return kind(getattr(events, action), values, nodes, **times)
