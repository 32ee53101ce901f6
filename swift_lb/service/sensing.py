"""The metrics of a node: every sensor there is, and the plug-ins that its operator has installed.

A plug-in is an entry point of the group swift_lb.metrics: NAME = MODULE:CLASS. The class is called
with the options of [lb-agent:metric:NAME] as keywords, and has `read(now)` as sensors have.
"""
import dataclasses
from importlib.metadata import entry_points

from swift_lb.errors import ConfigError
from swift_lb.plan.flows import HANDED_ON
from swift_lb.service.options import METRIC_OPTIONS, METRIC_SECTION, SECTION
from swift_lb.service.sensors import SENSORS, make_sensors
from swift_lb.wire.node_report import METRIC, MOST_METRICS

GROUP = 'swift_lb.metrics'
OPTIONAL = ('async_pending',)       # only if it has a section of its own
MOST = MOST_METRICS - 1             # beside HANDED_ON, which no sensor reads


def metrics_of(options, totals):
    """Return ({name: sensor}, {name: dampening}) by AgentOptions.

    `totals()` returns what the proxies' workers count, or None. Raises ConfigError with all faults.
    """
    plugins = {point.name: point for point in entry_points(group=GROUP)}
    own = {name: {option: text for option, text in section.items() if option not in METRIC_OPTIONS}
           for name, section in options.metrics.items()}
    faults = [f'[{METRIC_SECTION}{name}]: there is no such metric; there are '
              f'{", ".join((*SENSORS, *plugins))}' for name in own
              if name not in SENSORS and name not in plugins]
    known = options.plan.metric in ('auto', *SENSORS, *plugins)
    if not known:
        faults.append(f'[{SECTION}], metric = {options.plan.metric}: there is no such metric; '
                      f'there are auto, {", ".join((*SENSORS, *plugins))}')
    made = sensors_of(options, own, totals, faults) | plugged(plugins, own, faults)
    if len(made) > MOST:
        faults.append(f'there are {len(made)} metrics, and a report has room for {MOST}: '
                      'fewer plug-ins')
    if faults:
        raise ConfigError(faults)
    return made, {name: section['dampening'] for name, section in options.metrics.items()
                  if 'dampening' in section}


def directed(options, sensors):
    """Return AgentOptions that know of which of {name: sensor} more is better.

    The conf says so, or, where it says nothing, the plug-in: `direction = 'higher'`.
    """
    said = {name: section.get('direction') for name, section in options.metrics.items()}
    higher = tuple(sorted(name for name, sensor in sensors.items() if (
        said.get(name) or getattr(sensor, 'direction', 'lower')) == 'higher'))
    return dataclasses.replace(options, plan=options.plan._replace(higher=higher))


def sensors_of(options, own, totals, faults):
    """Return {name: sensor}; add what is wrong to `faults`."""
    chosen = {name: dict(own.get(name, {})) for name in SENSORS
              if name not in OPTIONAL or name in own}
    for name in ('disk', 'disk_queue'):
        chosen[name] = {'devices': options.devices} | chosen[name]
    network = {'interfaces': list(options.interfaces) or None, 'speed': options.speed}
    chosen['network'] = {name: value for name, value in network.items()
                         if value is not None} | chosen['network']
    try:
        return make_sensors(chosen, totals)
    except ConfigError as err:
        faults.extend(err.faults)
        return {}


def plugged(plugins, own, faults):
    """Return {name: the operator's plug-in}; add what is wrong to `faults`."""
    made = {}
    for name, point in plugins.items():
        if name in (*SENSORS, HANDED_ON):
            faults.append(f'metric {name}, a plug-in: there is a sensor of that name; take another')
            continue
        if METRIC.fullmatch(name) is None:
            faults.append(f'metric {name}, a plug-in: must be named by a-z, 0-9 and _, a letter '
                          'first, at most 32')
            continue
        try:
            made[name] = point.load()(**own.get(name, {}))
        except Exception as err:
            faults.append(f'metric {name}, a plug-in: {type(err).__name__}: {err}')
    return made
