"""What the sensors of the node agent cost, in microseconds a round of all of them.

    python test/bench/sensing.py

Reads this host as the agent does: asleep between two rounds, so that nothing is warm. The rounds
are shown to the sensors as seconds, so the looks for new disks and interfaces are in the means.
What counts is the time of the processor. Exits 1 where a round a second is over 1 % of a core.
"""
import json
import sys
import tempfile
from pathlib import Path
from time import process_time

from swift_lb.clock import sleep
from swift_lb.load.request_table import Totals
from swift_lb.service.sensors import SENSORS, make_sensors

ROUNDS, PAUSE = 180, 0.02       # seconds of the sensors; of ours
MOST = 0.01                     # of a core: the design's
RECON_EVERY = 60                # rounds


class Proxy:
    """A proxy that is busy."""

    def __init__(self):
        self._begun = 0

    def totals(self):
        """Return its Totals, as they are read from the book."""
        self._begun += 100
        return Totals(9, self._begun, self._begun, self._begun * 0.01)


def count(path, number):
    """Be swift-recon-cron."""
    path.write_text(json.dumps({'async_pending': 7, 'async_pending_last': number}))


def measured(sensors, recon):
    """Return ({name: mean seconds a round}, {name: how many rounds had a reading})."""
    taken, known = dict.fromkeys(sensors, 0.0), dict.fromkeys(sensors, 0)
    for number in range(ROUNDS):
        if number % RECON_EVERY == 0:
            count(recon, number)
        sleep(PAUSE)
        for name, sensor in sensors.items():
            begun = process_time()
            value = sensor.read(float(number))
            taken[name] += process_time() - begun
            known[name] += value is not None
    return {name: seconds / ROUNDS for name, seconds in taken.items()}, known


def main():
    """Print the table; exit 1 where the limit of the design is exceeded."""
    with tempfile.TemporaryDirectory() as directory:
        recon = Path(directory, 'object.recon')
        options = {'network': {'speed': 100e9}, 'async_pending': {'path': str(recon)}}
        sensors = make_sensors({name: options.get(name, {}) for name in SENSORS}, Proxy().totals)
        taken, known = measured(sensors, recon)
    total = sum(taken.values())
    print(f'{"sensor":<16} {"us a round":>10} {"known":>8}')
    for name, seconds in taken.items():
        print(f'{name:<16} {seconds * 1e6:10.1f} {known[name] / ROUNDS:8.0%}')
    print(f'{"all":<16} {total * 1e6:10.1f}    {total:.4%} of a core at a round a second')
    return int(total > MOST)


if __name__ == '__main__':
    sys.exit(main())
