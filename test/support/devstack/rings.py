"""rings.py FOLDER IP TYPE/NUMBER/PORT ...: writes the rings of these servers, each in its zone."""
import pathlib
import sys

from swift_lb.lab.network import Server
from swift_lb.lab.rings import write_ring

folder, ip, *servers = sys.argv[1:]
for kind in ('account', 'container', 'object'):
    devices = [(Server(name, kind, ip, int(name.rpartition('/')[2])), zone, 'sdb1')
               for zone, name in enumerate(servers, 1) if name.startswith(f'{kind}/')]
    write_ring(pathlib.Path(folder, f'{kind}.ring.gz'), 6, len(devices), devices)
