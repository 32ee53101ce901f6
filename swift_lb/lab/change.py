"""What `lab set` changes: words of its command line become rules that slow nodes or proxies."""
import copy

from swift_lb.errors import ConfigError
from swift_lb.lab import rules
from swift_lb.lab.network import NODE, PROXY
from swift_lb.lab.profile import load as load_profile

CLEAR, HANG, OFF = 'clear', 'hang', 'off'
WHERE = ('node', 'device', 'proxy', 'profile', 'seed')
CHANGED = ' (changed)'   # appended to a profile's name when a rule has been changed
EMPTY = {'profile': None, 'seed': 1, 'node': {}, 'devices': {}}


def parse_words(words):
    """Return the keyword arguments of Lab.handicap() for the `words` of `swift-lb lab set`.

    Examples: `node=1 device=sd0 slots=2 mean=80ms`, `node=1 hang`, `node=1 clear`, `clear`,
    `proxy=1 mean=80ms`, `profile=paper`. NAME=off removes one setting. Raises ConfigError that
    lists every wrong word.
    """
    settings, faults = {}, []
    for word in words:
        name, equals, value = word.partition('=')
        if word == CLEAR:
            settings['clear'] = True
        elif word == HANG:
            settings['hang'] = 'yes'
        elif equals and name in (*WHERE, *rules.RULE_WORDS):
            settings[name] = value
        else:
            faults.append(f'{word}: must be clear, hang, or NAME=VALUE of '
                          + ', '.join(WHERE + rules.RULE_WORDS))
    if faults:
        raise ConfigError(faults)
    return settings


def changed(documents, devices, rule=(), number=None, device=None, profile=None, seed=None,
            clear=False, kind=NODE):
    """Return {number: document}, the handicaps of a lab's nodes or proxies, changed as requested.

    `documents` are the handicaps before (see rules.py), `devices` the names of a node's devices.
    The words of `rule`, {name: value}, go to the rule of node `number`, or of its `device`. `clear`
    empties that rule first; without a `number`, all rules. `profile` replaces the rules of all
    nodes, `seed` the seed of their random times. `kind` says whether they are nodes or proxies.
    Raises ConfigError that lists every fault.
    """
    fresh = copy.deepcopy(documents)
    numbers = _numbers(fresh, number, device, devices, kind)
    if profile and kind is PROXY:
        raise ConfigError([f'profile={profile}: is of nodes, not of a proxy'])
    if profile:
        fresh = load_profile(profile, len(fresh), devices)
    if clear:
        for each in numbers:
            _clear(fresh[each], device)
    if rule and number is None:
        raise ConfigError([f'{" ".join(rule)}: {_of_which(kind, fresh)}'])
    for each in numbers:
        _add(fresh[each], device, dict(rule))
        if seed is not None:
            fresh[each]['seed'] = seed
    if faults := rules.faults_of({f'{kind.one} {each}': fresh[each] for each in numbers}):
        raise ConfigError(faults)
    return fresh


def _numbers(documents, number, device, devices, kind):
    faults = []
    if number is not None and str(number) not in map(str, documents):
        faults.append(f'{kind.one}={number}: the lab has {kind.many} 1 to {len(documents)}')
    if device is not None and kind is PROXY:
        faults.append(f'device={device}: a proxy has none')
    elif device is not None and device not in devices:
        faults.append(f'device={device}: the devices of a node are {", ".join(devices)}')
    if device is not None and number is None:
        faults.append(f'device={device}: {_of_which(kind, documents)}')
    if faults:
        raise ConfigError(faults)
    return [*documents] if number is None else [int(number)]


def _of_which(kind, documents):
    return f'of which {kind.one}? Say {kind.one}=1 to {kind.one}={len(documents)}'


def _clear(document, device):
    if device is None:
        document.update(profile=None, node={}, devices={})
    elif document['devices'].pop(device, None):
        _mark(document)


def _mark(document):
    if document['profile']:
        document['profile'] = document['profile'].removesuffix(CHANGED) + CHANGED


def _add(document, device, words):
    if not words:
        return
    _mark(document)
    rule = document['node'] if device is None else document['devices'].setdefault(device, {})
    rule.update({name: str(value) for name, value in words.items()})
    for name in [name for name, value in rule.items() if value == OFF]:
        del rule[name]
