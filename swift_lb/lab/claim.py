"""Claim a name and a network for a new lab by writing its state file."""
import contextlib
import shutil

from swift_lb.errors import LabError
from swift_lb.lab import network, place, state


def claim(spec):
    """Return (directory, State) of a new lab `spec` without processes.

    Atomic among the labs of one user, by a lock. Raises LabError if the name, or a port that it
    needs, is taken.
    """
    with place.locked():
        chosen = network.choose(spec, _claimed())
        try:
            directory = place.make(spec.name)
        except FileExistsError:
            raise LabError(f'lab {spec.name!r} is there already; `swift-lb lab status --name '
                           f'{spec.name}` shows it, `swift-lb lab down --name {spec.name}` ends it'
                           ) from None
        found = state.State(spec, chosen, bool(shutil.which('memcached')), {})
        state.write(directory, found)
    return directory, found


def _claimed():
    networks = set()
    for name in place.names():
        with contextlib.suppress(LabError, FileNotFoundError):
            networks.add(state.read(place.root() / name).network)
    return networks
