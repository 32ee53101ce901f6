"""The sensors of the node agent, and their registry: what the agent measures of its host.

A sensor has a name, a unit, a range (minimum, maximum; None: no bound), a direction ('lower' means
that less is better, as of a load) and a method:

    read(now) -> float or None      None: unknown, which is never 0; `fault` then says why

`now` is an instant of a monotonic clock; a rate is the growth between two readings, per second.
doc/developing.md tells how to add a sensor.
"""
from functools import cache

from swift_lb.service.sensors.disks import Disk, DiskCounters, DiskQueue
from swift_lb.service.sensors.host import AsyncPending, Cpu, LoadAverage, Memory
from swift_lb.service.sensors.network import Network
from swift_lb.service.sensors.requests import (
    RequestCounters,
    RequestRate,
    RequestsInFlight,
    ResponseTime,
)

SENSORS = {sensor.name: sensor for sensor in (
    Cpu, Memory, Network, Disk, DiskQueue, LoadAverage,
    RequestsInFlight, RequestRate, ResponseTime,        # of the proxies of this host
    AsyncPending,                                       # of its object servers
)}


def make_sensors(chosen, totals):
    """Return {name: sensor} for `chosen`, {name in SENSORS: {option: value}}.

    `totals()` returns the counts of this host's proxies, as RequestCounters reads them. All disk
    sensors share one reading of the disks, all request sensors one of the requests.
    """
    shared = {'disks': cache(DiskCounters), 'requests': RequestCounters(totals)}
    return {name: SENSORS[name](**options, **_shared_by(SENSORS[name], shared))
            for name, options in chosen.items()}


def _shared_by(kind, shared):
    return {kind.shared: shared[kind.shared]} if kind.shared else {}
