"""The metrics of a node: those of all sensors, and of the plug-ins that its operator installed.

A plug-in is an entry point of the group swift_lb.metrics: NAME = MODULE:CLASS. The class is called
with the options of [lb-agent:metric:NAME] as keywords, and has `read(now)`, as each sensor has.
"""
import dataclasses
from importlib.metadata import entry_points

from swift_lb.errors import ConfigError
from swift_lb.plan.flows import HANDED_ON
from swift_lb.service.options import METRIC_OPTIONS, METRIC_SECTION, SECTION
from swift_lb.service.sensors import SENSORS, make_sensors
from swift_lb.wire.image_counts import PART_METRICS
from swift_lb.wire.image_state import IMAGE_METRICS
from swift_lb.wire.node_report import MAX_METRICS, METRIC

GROUP = 'swift_lb.metrics'
OPTIONAL = ('async_pending',)       # sensors that are only read if they have a section
OURS = HANDED_ON, *IMAGE_METRICS, *PART_METRICS     # which no sensor reads
MAX_SENSED = MAX_METRICS - len(OURS)


def metrics_of(options, totals, path='lb-server.conf'):
    """Return ({metric: sensor}, {metric: dampening factor}) for AgentOptions.

    `totals()` returns the proxy workers' counts of requests, or None. Raises ConfigError with all
    faults, which name the conf file `path`.
    """
    plugins = {point.name: point for point in entry_points(group=GROUP)}
    own = {name: {option: value for option, value in section.items()
                  if option not in METRIC_OPTIONS} for name, section in options.metrics.items()}
    faults = [f'[{METRIC_SECTION}{name}]: there is no such metric; there are '
              f'{", ".join((*SENSORS, *plugins))}' for name in own
              if name not in SENSORS and name not in plugins]
    if options.plan.metric not in ('auto', *SENSORS, *plugins):
        faults.append(f'[{SECTION}], metric = {options.plan.metric}: there is no such metric; '
                      f'there are auto, {", ".join((*SENSORS, *plugins))}')
    sensors = make_sensors(sensor_options(options, own), totals) | plugged(plugins, own, faults)
    if len(sensors) > MAX_SENSED:
        faults.append(f'there are {len(sensors)} metrics, and a report has room for {MAX_SENSED}: '
                      'fewer plug-ins')
    if faults:
        raise ConfigError([f'{path}, {fault}' for fault in faults])
    return sensors, {name: section['dampening'] for name, section in options.metrics.items()
                     if 'dampening' in section}


def directed(options, sensors):
    """Return AgentOptions whose plan knows for which metrics a higher value means less load.

    The conf decides that, or else the attribute `direction` of the sensor in {metric: sensor}.
    """
    configured = {name: section.get('direction') for name, section in options.metrics.items()}
    higher = tuple(sorted(name for name, sensor in sensors.items() if (
        configured.get(name) or getattr(sensor, 'direction', 'lower')) == 'higher'))
    return dataclasses.replace(options, plan=options.plan._replace(higher=higher))


def sensor_options(options, own):
    """Return {sensor: {option: value}} of the built-in sensors that are read.

    `own` is {sensor: {option: value}} of the sections [lb-agent:metric:NAME]. AgentOptions give the
    options that those do not set.
    """
    return {name: {option: getattr(options, option) for option in sensor.options
                   if hasattr(options, option)} | own.get(name, {})
            for name, sensor in SENSORS.items() if name not in OPTIONAL or name in own}


def plugged(plugins, own, faults):
    """Return {metric: sensor} of an operator's plug-ins, `plugins`, {metric: entry point}.

    `own` is {metric: {option: value}}: each sensor's keyword arguments. A sentence about each
    plug-in that cannot be used is appended to `faults`.
    """
    sensors = {}
    for name, point in plugins.items():
        if name in (*SENSORS, *OURS):
            faults.append(f'metric {name}, a plug-in: there is a sensor of that name; take another')
            continue
        if METRIC.fullmatch(name) is None:
            faults.append(f'metric {name}, a plug-in: must be named by a-z, 0-9 and _, a letter '
                          'first, at most 32')
            continue
        try:
            sensors[name] = point.load()(**own.get(name, {}))
        except Exception as err:
            faults.append(f'metric {name}, a plug-in: {type(err).__name__}: {err}')
    return sensors
