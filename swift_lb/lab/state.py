"""The file run/state.json: a lab's description and processes, and the network it has taken."""
import contextlib
import dataclasses
import json
import os
import shutil
from typing import NamedTuple

from swift_lb.errors import LabError
from swift_lb.lab import network, place
from swift_lb.lab.place import STATE
from swift_lb.lab.process import Process
from swift_lb.lab.spec import LabSpec


class State(NamedTuple):
    """What run/state.json stores of a lab, so that later commands can show and end the lab."""

    spec: LabSpec
    networks: tuple         # of each region, the first three numbers of its addresses
    memcached: bool         # whether memcached runs; tempauth needs it
    processes: dict         # name -> Process


def write(directory, state):
    """Replace the state file of the lab in `directory` by the State `state`, atomically."""
    write_json(directory / STATE, {
        'spec': dataclasses.asdict(state.spec), 'networks': state.networks,
        'memcached': state.memcached,
        'processes': [process._asdict() for process in state.processes.values()]})


def read(directory):
    """Return the State of the lab `directory`; FileNotFoundError if absent, LabError if invalid."""
    text = (directory / STATE).read_text()
    try:
        raw = json.loads(text)
        processes = [Process(**fields) for fields in raw['processes']]
        return State(LabSpec(**raw['spec']), tuple(raw['networks']), raw['memcached'],
                     {process.name: process for process in processes})
    except (ValueError, KeyError, TypeError) as err:
        raise LabError(f'{directory / STATE} is not what a lab writes ({err}); end its processes '
                       f'by hand and remove {directory}') from None


def write_json(path, value):
    """Write `value` as JSON to the file `path`; readers see the whole old or the whole new file."""
    fresh = path.with_name(f'{path.name}.{os.getpid()}.new')
    fresh.write_text(json.dumps(value, indent=1) + '\n')
    fresh.replace(path)



def claim(spec, networks=()):
    """Make the directories and the state file of a new lab `spec`; return (directory, State).

    The lab is on the `networks` of its sites, or else on a free loopback network. A lock keeps two
    labs of one user from claiming the same name or network. No process runs yet. Raises LabError if
    the lab's name, its site or a port that it needs is taken.
    """
    with place.locked():
        claimed = _claimed()
        for site, one in zip(spec.sites, networks, strict=True):
            if one in claimed:
                raise LabError(f'the site {site} has a lab already; a site has one at most')
        chosen = networks or (network.choose(spec, claimed),)
        try:
            directory = place.make_directories(spec.name)
        except FileExistsError:
            raise LabError(f'lab {spec.name!r} is there already; `swift-lb lab status --name '
                           f'{spec.name}` shows it, `swift-lb lab down --name {spec.name}` ends it'
                           ) from None
        new_state = State(spec, chosen, bool(shutil.which('memcached')), {})
        write(directory, new_state)
    return directory, new_state


def _claimed():
    networks = set()
    for name in place.names():
        with contextlib.suppress(LabError, FileNotFoundError):
            networks.update(read(place.root() / name).networks)
    return networks
