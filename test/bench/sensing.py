"""The costs of the agent's sensors, in microseconds a round of all of them.

    python test/bench/sensing.py

It reads this host as the agent does, and sleeps between two rounds, so that caches are cold. To
the sensors a round is a second, so that the means include searches for disks and interfaces. The
times are of the processor. Exits with 1 if a round a second is over 1 % of a core.
"""
import json
import sys
import tempfile
from pathlib import Path
from time import process_time

from swift_lb.clock import sleep
from swift_lb.load.request_table import Totals
from swift_lb.service.sensors import SENSORS, make_sensors

ROUNDS, PAUSE = 180, 0.02       # PAUSE in seconds
MAX_CPU = 0.01                  # of a core
RECON_EVERY = 60                # rounds


class MeasuredProxy:
    """A stand-in for a busy proxy's counts: 100 requests more at each call of totals()."""

    def __init__(self):
        self._begun = 0

    def totals(self):
        self._begun += 100
        return Totals(9, self._begun, self._begun, self._begun * 0.01)


def count(path, number):
    """Write a count of async pendings, with the time `number`, as swift-recon-cron does."""
    path.write_text(json.dumps({'async_pending': 7, 'async_pending_last': number}))


def measured(sensors, recon):
    """Return ({sensor's name: mean seconds a round}, {name: number of ROUNDS with a reading}).

    `recon` is the path of the file that swift-recon-cron would write."""
    spent, known = dict.fromkeys(sensors, 0.0), dict.fromkeys(sensors, 0)
    for number in range(ROUNDS):
        if number % RECON_EVERY == 0:
            count(recon, number)
        sleep(PAUSE)
        for name, sensor in sensors.items():
            begun = process_time()
            value = sensor.read(float(number))
            spent[name] += process_time() - begun
            known[name] += value is not None
    return {name: seconds / ROUNDS for name, seconds in spent.items()}, known


def main():
    """Print the table; return 1 if the limit is exceeded, else 0."""
    with tempfile.TemporaryDirectory() as directory:
        recon = Path(directory, 'object.recon')
        options = {'network': {'speed': 100e9}, 'async_pending': {'path': str(recon)}}
        sensors = make_sensors({name: options.get(name, {}) for name in SENSORS},
                               MeasuredProxy().totals)
        spent, known = measured(sensors, recon)
    total = sum(spent.values())
    print(f'{"sensor":<16} {"us a round":>10} {"known":>8}')
    for name, seconds in spent.items():
        print(f'{name:<16} {seconds * 1e6:10.1f} {known[name] / ROUNDS:8.0%}')
    print(f'{"all":<16} {total * 1e6:10.1f}    {total:.4%} of a core at a round a second')
    return int(total > MAX_CPU)


if __name__ == '__main__':
    sys.exit(main())
