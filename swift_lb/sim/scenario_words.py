"""The options of a scenario file: {section: {option: (field of Scenario, parser)}}."""
import itertools
import re
from ipaddress import IPv4Address
from typing import NamedTuple

from swift_lb.model import Node
from swift_lb.sim.event_words import ACTIONS
from swift_lb.sim.quantity import distribution, positive, seconds, share, size, whole
from swift_lb.sim.scenario import DeviceKind, DevicePlace

FIRST_IP, PORT = IPv4Address('10.0.0.1'), 6200


def sentence(text):
    """Return `text` with single spaces between words; raises ValueError if it is empty."""
    if not text:
        raise ValueError('must be a sentence')
    return ' '.join(text.split())


def span(text):
    """Parse a time of more than 0, such as `60s`; return seconds."""
    return positive(seconds, text)


def load(text):
    """Parse a load like `80%`, of the devices' capacity; return a fraction above 0."""
    value = share(text)
    if not value:
        raise ValueError(f'{text!r} must be more than 0%')
    return value


def fraction(text):
    """Parse a percentage of at most 100%; return a fraction."""
    value = share(text)
    if value > 1:
        raise ValueError(f'{text!r} must be at most 100%')
    return value


def sizes(text):
    """Parse sizes of reads, `4KiB` or `4KiB 90%, 1MiB 10%`; return ((bytes, fraction), ...)."""
    weighted = []
    for word in text.split(','):
        length, *weight = word.split() or ['']
        if len(weight) > 1:
            raise ValueError(f'{word.strip()!r} must be a size and a percentage: 4KiB 90%')
        weighted.append((positive(size, length), fraction(weight[0]) if weight else 1.0))
    if abs(sum(weight for _length, weight in weighted) - 1) > 1e-6:
        raise ValueError('the percentages must add up to 100%')
    return tuple(weighted)


def yes_or_no(text):
    """Parse `yes` or `no`; return True or False."""
    if text not in ('yes', 'no'):
        raise ValueError(f'{text!r} must be yes or no')
    return text == 'yes'


def fragments(text):
    """Parse `4+2`; return the numbers of data and parity fragments."""
    match = re.fullmatch(r'([1-9]\d?)\+([1-9]\d?)', text)
    if not match:
        raise ValueError(f'{text!r} must be data and parity fragments: 4+2')
    return int(match[1]), int(match[2])


def rate(text):
    """Parse `150MiB/s`; return bytes per second."""
    if not text.endswith('/s'):
        raise ValueError(f'{text!r} must be a rate such as 150MiB/s')
    return float(positive(lambda text: size(text.removesuffix('/s')), text))


SCENARIO = {
    'scenario': {'says': ('says', sentence), 'seconds': ('seconds', span),
                 'warm_up': ('warm_up', seconds)},
    'clients': {'load': ('load', load), 'workers': ('clients', whole), 'sizes': ('sizes', sizes),
                'objects': ('objects', whole), 'hot': ('hot', fraction)},
    'proxies': {'hosts': ('hosts', whole), 'workers': ('workers', whole),
                'node_timeout': ('node_timeout', span), 'reports': ('reports', yes_or_no)},
    'ring': {'replicas': ('replicas', whole), 'fragments': ('fragments', fragments)},
    'network': {'round_trip': ('round_trip', seconds)},
}
NODES = {'count': ('count', whole), 'devices': ('devices', whole), 'slots': ('slots', whole),
         'service': ('service', distribution), 'rate': ('rate', rate), 'cache': ('cache', whole)}
EVENT = {'at': ('at', seconds), 'until': ('until', span), 'devices': ('devices', str.split),
         **{name: (name, parse) for name, parse in ACTIONS.items()}}


class NodeGroup(NamedTuple):
    """One [nodes NAME] section: `count` identical nodes called NAME-1, NAME-2, ..."""

    name: str
    count: int
    devices: int
    kind: DeviceKind

    @classmethod
    def of(cls, name, values):
        """Return the NodeGroup called `name` with the parsed `values` of its section."""
        kind = {key: values[key] for key in ('slots', 'rate', 'cache') if key in values}
        return cls(name, values.get('count', 1), values.get('devices', 1),
                   DeviceKind(*values['service'], **kind))


def places(groups):
    """Return ([DevicePlace, ...], {name used by events: [Node, ...]}) of the NodeGroups."""
    device_places, called = [], {}
    ips = (str(FIRST_IP + number) for number in itertools.count())
    for group in groups:
        for number in range(1, group.count + 1):
            name, ip = f'{group.name}-{number}', next(ips)
            for device in range(group.devices):
                node = Node(ip, PORT, f'sd{device}')
                device_places.append(DevicePlace(node, group.kind))
                for words in (f'{name}/{node.device}', name, group.name):
                    called.setdefault(words, []).append(node)
    return device_places, called
