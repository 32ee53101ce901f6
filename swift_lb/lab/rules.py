"""The handicap of one storage node or proxy: a document, parsed into values.

A rule is a mapping of words, {'slots': '2', 'mean': '80ms'}: two requests are served at once, for
80 ms on average; further requests queue. The document of a node holds one rule for the node, a rule
for each device that has its own, the seed of the random times, and the profile that it came from:

    {"profile": "paper", "seed": 1, "node": {...}, "devices": {"sd0": {...}}}

The document of a proxy has no devices.
"""
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from swift_lb.errors import ConfigError

OBJECT_METHODS = ('GET', 'HEAD', 'PUT', 'POST', 'DELETE')
METHODS = (*OBJECT_METHODS, 'COPY', 'OPTIONS')     # of a proxy
NODE = ''    # the scope of the rule of a whole node; other scopes are names of devices
KEYS = ('profile', 'seed', 'node', 'devices')
SECONDS = {'': 1, 's': 1, 'ms': 1e-3, 'us': 1e-6, 'min': 60}
BYTES = {'': 1, 'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
FRACTION = {'': 1, '%': 0.01}
NUMBER = re.compile(r'(\d{0,15}\.?\d{1,15})\s*([A-Za-z%]*)', re.ASCII)


@dataclass(frozen=True)
class Rule:
    """How requests to a node or device are slowed or broken, in seconds, bytes and fractions."""

    slots: int = 1                       # requests in service at once; further ones queue
    mean: float | None = None            # service time; None takes no slot
    dist: str = 'exponential'
    pause: float = 0.0                   # the fraction of requests that take longer
    pause_time: float = 0.5              # by these seconds
    hang: bool = False                   # no answer until cleared
    fail: float = 0.0                    # the fraction of requests refused at once
    status: int = 503                    # the status of a refusal
    slow_stream: float | None = None     # bytes per second of a GET's body
    cut: int | None = None               # bytes of a GET's body until the connection breaks
    methods: tuple = METHODS


@dataclass(frozen=True)
class NodeRules:
    """The parsed document of a node: `scopes` maps '' (the node) or a device's name to its Rule."""

    scopes: Mapping = field(default_factory=dict)
    seed: int = 1

    def of(self, device, method):
        """Return [('', node's Rule), (`device`, its Rule)], of these only Rules for `method`."""
        return [(scope, self.scopes[scope]) for scope in (NODE, device)
                if scope in self.scopes and method in self.scopes[scope].methods]


def parse(document, where='handicap'):
    """Return the NodeRules of `document`; ConfigError lists all faults, each after `where`."""
    faults = []
    document = _mapping(document, where, faults)
    faults += [f'{where}, {key}: unknown; a document has {", ".join(KEYS)}'
               for key in document if key not in KEYS]
    words = {NODE: document.get('node') or {}}
    words |= _mapping(document.get('devices') or {}, f'{where}, devices', faults)
    scopes = {scope: parse_rule(rule, f'{where}, device {scope}' if scope else where, faults)
              for scope, rule in words.items() if rule}
    seed = _value('seed', document.get('seed', 1), where, faults)
    if faults:
        raise ConfigError(faults)
    return NodeRules(scopes, seed)


def faults_of(documents):
    """Return the list of all faults of `documents`, {where: document}; each begins with `where`."""
    faults = []
    for where, document in documents.items():
        try:
            parse(document, where)
        except ConfigError as err:
            faults += err.faults
    return faults


def parse_rule(words, where, faults):
    """Return the Rule of `words`, such as {'slots': '2', 'mean': '80ms'}; None if a word is wrong.

    Appends a sentence for each fault, beginning with `where`, to the list `faults`.
    """
    words = _mapping(words, where, faults)
    before = len(faults)
    values = {name: _value(name, text, where, faults) for name, text in words.items()}
    if len(faults) > before:
        return None
    faults += [f'{where}, {name} = {words[name]}: needs mean, the time a request is in service'
               for name in ('slots', 'pause') if name in values and 'mean' not in values]
    return Rule(**values)


def capacity(rules, devices):
    """Return the requests per second that a node with the NodeRules `rules` can answer.

    It is the smaller of the node's own limit and the sum of the limits of its `devices` (names);
    math.inf is no limit. A rule's limit is slots / mean service time.
    """
    disks = [_rate(rules.scopes.get(device)) for device in devices]
    return min(_rate(rules.scopes.get(NODE)), sum(disks))


def _rate(rule):
    if not rule or not rule.mean:
        return math.inf
    return rule.slots / (rule.mean + rule.pause * rule.pause_time)


def _mapping(value, where, faults):
    if isinstance(value, Mapping):
        return value
    faults.append(f'{where}: must be a mapping, not {value!r}')
    return {}


def _value(name, text, where, faults):
    try:
        if name not in PARSERS:
            raise ValueError(f'unknown; there are {", ".join(RULE_WORDS)}')
        return PARSERS[name](str(text).strip())
    except ValueError as err:
        faults.append(f'{where}, {name} = {text}: {err}')
        return None


def parse_seconds(text):
    """Return the seconds that `text`, a time such as 80ms, means; a bare number is seconds.

    Raises ValueError, which says what is accepted, for any other text and for 0.
    """
    value = _scaled(text, SECONDS)
    if value is None or value <= 0:
        raise ValueError('must be a time of more than 0, such as 80ms or 0.5s')
    return value


def parse_size(text):
    """Return the bytes that `text`, such as 64KiB or 1000, means; ValueError if less than 1."""
    value = _scaled(text, BYTES)
    if value is None or value < 1:
        raise ValueError('must be a size of at least 1 byte, such as 64KiB, 1MiB or 1000')
    return int(value)


def parse_fraction(text):
    """Return the fraction that `text`, such as 0.1 or 10%, means; ValueError if not 0 to 1."""
    value = _scaled(text, FRACTION)
    if value is None or value > 1:
        raise ValueError('must be a fraction of 0 to 1, such as 0.1 or 10%')
    return value


def _scaled(text, units):
    match = NUMBER.fullmatch(text.strip())
    return float(match[1]) * units[match[2]] if match and match[2] in units else None


def _whole(least, most):
    def parse_whole(text):
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ValueError(f'must be a whole number, {least} to {most}')
        return int(text)
    return parse_whole


def _flag(text):
    words = {'yes': True, 'true': True, 'no': False, 'false': False}
    if text.lower() not in words:
        raise ValueError('must be yes or no')
    return words[text.lower()]


def _dist(text):
    if text not in ('exponential', 'constant', 'lognormal'):
        raise ValueError('must be exponential, constant or lognormal')
    return text


def _methods(text):
    names = tuple(name.strip().upper() for name in text.split(','))
    if not set(names) <= set(METHODS):
        raise ValueError(f'must be some of {",".join(METHODS)}')
    return names


PARSERS = {
    'slots': _whole(1, 10000), 'mean': parse_seconds, 'dist': _dist,
    'pause': parse_fraction, 'pause_time': parse_seconds, 'hang': _flag,
    'fail': parse_fraction, 'status': _whole(400, 599), 'slow_stream': parse_size,
    'cut': parse_size, 'methods': _methods, 'seed': _whole(0, 2**63),
}
RULE_WORDS = tuple(name for name in PARSERS if name != 'seed')
