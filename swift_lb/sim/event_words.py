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
from swift_lb.sim.quantity import number, seconds, share, size, whole


def _shaped(text, shape, example):
    match = re.fullmatch(shape, text)
    if not match:
        raise ValueError(f'{text!r} must be written as {example}')
    return match.groups()


def _more_than_none(value, text):
    if not value:
        raise ValueError(f'{text!r} must be more than 0')
    return value


def _slow(text):
    return events.Slow(_more_than_none(number(text), text))


def _later(text):
    return events.Later(seconds(text))


def _yes(make):
    def parse(text):
        _shaped(text, 'yes', '`yes`')
        return make()
    return parse


def _fail(text):
    status, soon = _shaped(text, r'([45]\d\d) +in +(\S+)', '`503 in 1ms`')
    return events.Fail(int(status), seconds(soon))


def _pause(text):
    fraction, length = _shaped(text, r'(\S+) +(\S+)', '`1% 500ms`')
    return events.Pause(share(fraction), seconds(length))


def _fluctuate(text):
    factor, interval = _shaped(text, r'(\S+) +every +(\S+)', '`3 every 100ms`')
    return events.Fluctuation, (_more_than_none(number(factor), factor),
                                _more_than_none(seconds(interval), interval))


def _rebuild(text):
    rate, length = _shaped(text, r'(\S+)/s +(\S+)', '`20/s 1MiB`')
    return events.Rebuild, (_more_than_none(number(rate), rate), size(length))


def _restart(text):
    return whole(_shaped(text, r'worker +(\S+)', '`worker 1`')[0]) - 1


CHANGES = {'slow': _slow, 'later': _later, 'hang': _yes(events.Hang), 'fail': _fail,
           'pause': _pause}
REPEATED = {'fluctuate': _fluctuate, 'rebuild': _rebuild}
OF_PROXIES = {'restart': _restart, 'expire': _yes(lambda: None)}
ACTIONS = CHANGES | REPEATED | OF_PROXIES


def event(action, parsed, nodes, times):
    """Return the event of an action and its parsed value; `times` has `at` and perhaps `until`."""
    if action in CHANGES:
        return events.During(parsed, nodes, **times)
    if action in REPEATED:
        return events.Repeated(*parsed, nodes, **times)
    if action == 'restart':
        return events.Restart(parsed, **times)
    return events.Expire(**times)
