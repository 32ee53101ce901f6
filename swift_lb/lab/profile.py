"""Profiles: a profile is a small conf file with the handicaps of all nodes of a lab.

It has the sections [profile], for the seed, [every node], [every device], [node N], [node N device
NAME]; a more specific section overrides a more general one.
"""
import configparser
import importlib.resources
import pathlib
import re

from swift_lb.config import ini_sections
from swift_lb.errors import ConfigError
from swift_lb.lab import rules

SECTION = re.compile(r'every (node|device)$|node (?P<node>\d+)( device (?P<device>\S+))?$')


def names():
    """Return the sorted names of the profiles that swift-lb includes."""
    return sorted(path.name.removesuffix('.conf') for path in _shipped().iterdir()
                  if path.name.endswith('.conf'))


def load(name, nodes, devices):
    """Return {node number: handicap document} of the profile `name`, or of the file at that path.

    `nodes` is the lab's number of nodes, `devices` the names of each node's devices. rules.py says
    what a document, a dict, has. Raises ConfigError that lists every fault: an unknown profile, a
    node or device that the lab does not have, a wrong rule.
    """
    label = pathlib.Path(name).name.removesuffix('.conf')
    return documents(_text(name), label, nodes, devices)


def documents(text, label, nodes, devices):
    """Return {node number: handicap document} of a profile whose conf file contains `text`.

    `label` is the profile's name, `nodes` the lab's number of nodes, `devices` the names of each
    node's devices. Raises ConfigError that lists every fault.
    """
    where = f'profile {label}'
    sections = _sections(text, where)
    faults = [fault for section in sections if (fault := _fault(section, nodes, devices, where))]
    documents = {node: _document(sections, label, node, devices) for node in range(1, nodes + 1)}
    faults += rules.faults_of({f'{where}, node {node}': document
                               for node, document in documents.items()})
    if faults:
        raise ConfigError(faults)
    return documents


def _shipped():
    return importlib.resources.files('swift_lb.lab') / 'profiles'


def _text(name):
    if name in names():
        return (_shipped() / f'{name}.conf').read_text()
    try:
        return pathlib.Path(name).read_text()
    except OSError:
        raise ConfigError([f'profile {name}: is neither one of {", ".join(names())} nor a file '
                           'that can be read']) from None


def _sections(text, where):
    try:
        return ini_sections(text)
    except configparser.Error as err:
        raise ConfigError([f'{where}: {err}']) from None


def _fault(section, nodes, devices, where):
    if section == 'profile':
        return None
    match = SECTION.match(section)
    if not match:
        return (f'{where}, [{section}]: must be [profile], [every node], [every device], [node N] '
                'or [node N device NAME]')
    if match['node'] and not 1 <= int(match['node']) <= nodes:
        return f'{where}, [{section}]: the lab has nodes 1 to {nodes}'
    if match['device'] and match['device'] not in devices:
        return f'{where}, [{section}]: the devices of a node are {", ".join(devices)}'
    return None


def _document(sections, label, node, devices):
    def words(*names):
        return {key: value for name in names for key, value in sections.get(name, {}).items()}
    each = {device: words('every device', f'node {node} device {device}') for device in devices}
    return {'profile': label, 'seed': 1, **sections.get('profile', {}),
            'node': words('every node', f'node {node}'),
            'devices': {device: rule for device, rule in each.items() if rule}}
