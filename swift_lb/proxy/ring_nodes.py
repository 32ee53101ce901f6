"""Are the targets of lb_weights in the rings?"""
import glob
import os

from swift.common.ring import RingData

from swift_lb.model import Node
from swift_lb.replica_options import unmatched


def unknown_weights(swift_dir, options):
    """Return a warning for each weight that no device of the rings in `swift_dir` matches.

    `options` is {storage policy index: ReplicaOptions}.
    """
    if not any(chosen.weights for chosen in options.values()):
        return []
    try:
        return unmatched(options, nodes_of_rings(swift_dir))
    except ValueError as err:
        return [f'lb_weights: not held against the rings: {err}']


def nodes_of_rings(swift_dir):
    """Yield the Node of every device in the object, account and container rings of `swift_dir`.

    Raises ValueError, with the path of the ring, for the first one that cannot be read.
    """
    for path in sorted(glob.glob(os.path.join(glob.escape(swift_dir), '*.ring.gz'))):
        try:
            devices = RingData.load(path, metadata_only=True).devs
        except Exception as err:  # a damaged file raises whatever its damage leads to
            raise ValueError(f'{path} can not be read as a ring: {err!r}') from err
        for device in filter(None, devices):
            yield Node(device['ip'], device['port'], device['device'])
