"""What the node agent measures of its host: one file a sensor, one registry.

A sensor has a name, a unit, a range (least, most; None: no bound), a direction ('lower' is better:
it is a load) and a method:

    read(now) -> float or None      None is unknown, which is never 0; `fault` then says why

`now` is an instant of a monotonic clock; what is a rate is one between two reads. To add a sensor:
copy memory.py, write `_read`, add a line to SENSORS.
"""
from functools import cache

from swift_lb.errors import ConfigError
from swift_lb.service.sensors.async_pending import AsyncPending
from swift_lb.service.sensors.cpu import Cpu
from swift_lb.service.sensors.disk import Disk
from swift_lb.service.sensors.disk_counters import DiskCounters
from swift_lb.service.sensors.disk_queue import DiskQueue
from swift_lb.service.sensors.in_flight import InFlight
from swift_lb.service.sensors.load import Load
from swift_lb.service.sensors.memory import Memory
from swift_lb.service.sensors.network import Network
from swift_lb.service.sensors.request_counters import RequestCounters
from swift_lb.service.sensors.requests import Requests
from swift_lb.service.sensors.response_time import ResponseTime

SENSORS = {
    'cpu': Cpu,
    'memory': Memory,
    'network': Network,
    'disk': Disk,
    'disk_queue': DiskQueue,
    'load': Load,
    'in_flight': InFlight,              # of the proxies, from the book of their workers
    'requests': Requests,
    'response_time': ResponseTime,
    'async_pending': AsyncPending,      # of the object servers
}


def make_sensors(chosen, totals):
    """Return {name: sensor} of {name: {option: value}}; they share what they can read together.

    `totals` is RequestCounters'. Raises ConfigError with every fault found.
    """
    requests = RequestCounters(totals)
    shared = {None: {}, DiskCounters: {'counters': cache(DiskCounters)},
              RequestCounters: {'counters': lambda _totals: requests, 'totals': totals}}
    made, faults = {}, []
    for name, options in chosen.items():
        try:
            made[name] = _make(name, options, shared)
        except ConfigError as err:
            faults.extend(f'sensor {name}: {fault}' for fault in err.faults)
    if faults:
        raise ConfigError(faults)
    return made


def _make(name, options, shared):
    if name not in SENSORS:
        raise ConfigError([f'unknown; the sensors are {", ".join(SENSORS)}'])
    kind = SENSORS[name]
    if unknown := sorted(options.keys() - set(kind.options)):
        known = f'its options are {", ".join(kind.options)}' if kind.options else 'it has none'
        raise ConfigError([f'unknown option {option}; {known}' for option in unknown])
    return kind(**options, **shared[kind.counters])
