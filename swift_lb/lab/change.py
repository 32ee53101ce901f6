"""What `lab set` does to the rules of the nodes: words in, documents out."""
import copy

from swift_lb.errors import ConfigError
from swift_lb.lab import rules
from swift_lb.lab.profile import load as load_profile

CLEAR, HANG, OFF = 'clear', 'hang', 'off'
WHERE = ('node', 'device', 'profile', 'seed')
CHANGED = ' (changed)'   # a profile's name, when the rules are no longer quite its own
EMPTY = {'profile': None, 'seed': 1, 'node': {}, 'devices': {}}


def parse_words(words):
    """Return the arguments of changed() that the command line's `words` say.

    `node=1 device=sd0 slots=2 mean=80ms`, `node=1 hang`, `node=1 clear`, `clear`, `profile=paper`;
    NAME=off takes one word away. Raises ConfigError with every word that is none of these.
    """
    said, faults = {'rule': {}}, []
    for word in words:
        name, equals, value = word.partition('=')
        if word == CLEAR:
            said['clear'] = True
        elif word == HANG:
            said['rule']['hang'] = 'yes'
        elif equals and name in WHERE:
            said[name] = value
        elif equals and name in rules.RULE_WORDS:
            said['rule'][name] = value
        else:
            faults.append(f'{word}: must be clear, hang, or NAME=VALUE of '
                          + ', '.join(WHERE + rules.RULE_WORDS))
    if faults:
        raise ConfigError(faults)
    return said


def changed(documents, devices, rule=(), node=None, device=None, profile=None, seed=None,
            clear=False):
    """Return the new {node number: document} of a lab whose nodes have `devices` (names).

    `rule` is a mapping of words that is added to the rule of `node`, or of its `device`; `clear`
    empties that first, or with no `node` all there is. ConfigError with every fault.
    """
    fresh = copy.deepcopy(documents)
    numbers = _numbers(fresh, node, device, devices)
    if profile:
        fresh = load_profile(profile, len(fresh), devices)
    if clear:
        for number in numbers:
            _clear(fresh[number], device)
    if rule and node is None:
        raise ConfigError([f'{" ".join(rule)}: of which node? Say node=1 to node={len(fresh)}'])
    for number in numbers:
        _add(fresh[number], device, dict(rule))
        if seed is not None:
            fresh[number]['seed'] = seed
    _verify({number: fresh[number] for number in numbers})
    return fresh


def _numbers(documents, node, device, devices):
    faults = []
    if node is not None and str(node) not in map(str, documents):
        faults.append(f'node={node}: the lab has nodes 1 to {len(documents)}')
    if device is not None and device not in devices:
        faults.append(f'device={device}: the devices of a node are {", ".join(devices)}')
    if device is not None and node is None:
        faults.append(f'device={device}: of which node? Say node=1 to node={len(documents)}')
    if faults:
        raise ConfigError(faults)
    return [*documents] if node is None else [int(node)]


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


def _verify(documents):
    if faults := rules.faults_of({f'node {number}': document
                                  for number, document in documents.items()}):
        raise ConfigError(faults)
