"""The devices there are, by the rings that a proxy uses."""
import glob
import os

from swift.common.ring import RingData

from swift_lb.model import Node


def nodes_of_rings(swift_dir):
    """Yield the Node of every device in the object, account and container rings of `swift_dir`.

    Raises ValueError, which names it, for the first ring that can not be read.
    """
    for path in sorted(glob.glob(os.path.join(glob.escape(swift_dir), '*.ring.gz'))):
        try:
            devices = RingData.load(path, metadata_only=True).devs
        except Exception as err:  # what a damaged file raises depends on where it is damaged
            raise ValueError(f'{path} can not be read as a ring: {err!r}') from err
        for device in filter(None, devices):
            yield Node(device['ip'], device['port'], device['device'])
