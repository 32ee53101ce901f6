"""The options of an [event NAME] section: `at`, `until`, `devices`, and one of these actions.

    slow = 20                 every service takes 20 times as long
    later = 50ms              every seek takes 50 ms longer
    hang = yes                nothing is served
    fail = 503 in 1ms         every request is answered with 503, after 1 ms
    pause = 1% 500ms          1 % of the seeks take 500 ms longer
    fluctuate = 3 every 50ms  every 50 ms the mean service time becomes the normal one or a third
                              of it, at random, as in C3's paper
    rebuild = 20/s 1MiB       20 background reads of 1 MiB start per second
    restart = worker 1        the proxies' first worker loses all that only it has measured
    expire = yes              all workers lose all measurements
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
    """Return the event of `action`, a word of ACTIONS, with its parsed values, on these Nodes.

    `times` has the instant `at` and perhaps the end `until`, in seconds.
    """
    if action in OF_PROXIES:
        return events.OfWorkers(OF_PROXIES[action], *values, **times)
    kind = events.Repeated if action in REPEATED else events.During
    return kind(getattr(events, action), values, nodes, **times)
