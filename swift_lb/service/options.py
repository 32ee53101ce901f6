"""The options of /etc/swift/lb-server.conf's [lb-agent] and [lb-agent:metric:NAME]."""
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from swift_lb import conf_file
from swift_lb.access import is_this_host
from swift_lb.config import (
    NO_OPTIONS,
    InvalidError,
    Option,
    absolute_path,
    boolean,
    host_port,
    matching,
    number,
    one_of,
    option,
    optional,
    options_of,
    parse_section,
    seconds,
    shared_key,
    speed,
    whole,
    within,
    words,
)
from swift_lb.errors import ConfigError
from swift_lb.plan.forecast import loads
from swift_lb.plan.options import DEFAULTS, PlanOptions
from swift_lb.plan.plan import RULES
from swift_lb.plan.smoothing import DAMPENING
from swift_lb.service.cluster_options import ClusterOptions, cluster_options
from swift_lb.service.sensors import SENSORS
from swift_lb.service.sensors.disks import DEVICES
from swift_lb.service.sensors.network import interface_names
from swift_lb.wire.node_report import METRIC, MIN_INTERVAL, PROXY

SECTION = conf_file.AGENT
METRIC_SECTION = SECTION + ':metric:'
REPORT_PORT = 6208      # UDP, by default; HTTP has the next one
WRONG = 'wrong'         # instead of a value for which there is a sentence already
fraction = within(0.0, 1.0)
port = whole(1, 65535)


def peers(text):
    """Parse `HOST[:PORT], ...` into ((host, port), ...); an IPv6 address stands in brackets."""
    return tuple(dict.fromkeys(host_port(word, REPORT_PORT) for word in words(text)))


def threshold(text):
    """Parse a threshold of load: return 'auto', 'off', or a number more than 0."""
    if text in ('auto', 'off'):
        return text
    value = number(text)
    if value <= 0:
        raise InvalidError('must be auto, off or a number more than 0')
    return value


@dataclass(frozen=True)
class AgentOptions:
    """The options of an agent; `etc/lb-server.conf-sample` explains each of them."""

    node: str = field(default_factory=lambda: socket.gethostname(), metadata={
        'option': Option(conf_file.node_name, '', 'the name of this node in reports')})
    bind_ip: str = option('0.0.0.0', str, '', 'address that receives reports')
    bind_port: int = option(REPORT_PORT, port, '', 'UDP port that receives reports')
    http_ip: str = option('127.0.0.1', str, '', 'address that serves HTTP')
    http_port: int = option(REPORT_PORT + 1, port, '', 'port that serves HTTP')
    http_key: str = option('', shared_key, '', 'secret of HTTP clients of other hosts')
    peers: tuple = option((), peers, '', '(host, port) of nodes to which reports are sent')
    key: str = option('', shared_key, '', 'secret that signs reports')
    key2: str = option('', shared_key, '', 'second secret that is accepted while keys change')
    mode: str = option('push', one_of('push', 'pull'), '', 'whether reports are sent or fetched')
    interval: float = option(1.0, within(MIN_INTERVAL, 10.0), 'seconds', 'time between reports')
    proxy: str = option('', matching(PROXY, 'IP:PORT, or [IPV6]:PORT'), '',
                        'where the proxy of this node serves')
    proxy_conf: str = option('/etc/swift/proxy-server.conf', str, '', 'conf file of that proxy')
    check: bool = option(True, boolean, '', 'whether the healthcheck of the proxy is asked')
    instruction_file: str = option(conf_file.INSTRUCTION_FILE, str, '',
                                   'where the instruction is written')
    dampening: float = option(DAMPENING, fraction, 'fraction',
                              'weight of the previous load of a metric')
    forecast: str = option(loads.NONE, one_of(*loads.METHODS), '',
                           'how the reported load is forecast from the readings')
    ramp: float = option(30.0, seconds(0.0), 'seconds', 'time in which a new node gets its share')
    devices: str = option(DEVICES, optional(absolute_path), '', 'where the disks are mounted')
    interfaces: tuple = option((), interface_names, '', 'network interfaces that are measured')
    speed: float | None = option(None, speed, 'bits per second', 'speed of unknown interfaces')
    plan: PlanOptions = DEFAULTS
    self_adapting: bool = True          # each node computes its own thresholds
    metrics: Mapping = field(default_factory=lambda: MappingProxyType({}))  # name: its section
    cluster: ClusterOptions | None = None       # None: the host belongs to no group of clusters
    image_socket: str | None = None     # of swift-lb-image; None: this host has none


PLAN = {        # options of the plan; PlanOptions has the defaults
    'rules': Option(one_of(*RULES), '', 'the rules that make the instruction'),
    'metric': Option(matching(METRIC, 'auto or the name of a metric'), '', 'what load is'),
    'alpha': Option(within(0.0, 1e6), '', 'weight of the network in Equation 1'),
    'beta': Option(within(0.0, 1e6), '', 'weight of the CPU in Equations 1 and 2'),
    'gamma': Option(within(0.0, 1e6), '', 'weight of memory in Equations 1 and 2'),
    'rho': Option(within(1.0, 1e6), '', 'overload as a multiple of the least load'),
    'band': Option(within(0.0, 10.0), 'fraction', 'load above the mean that delegates nothing'),
    'ratio': Option(within(1.0, 1e6), '', 'largest weight divided by the smallest'),
    'floor': Option(fraction, 'fraction', 'part of all requests that nodes share equally'),
    'tau': Option(seconds(0.001), 'seconds', 'smoothing time of the DNS weights'),
    'hysteresis': Option(fraction, 'fraction', 'change of a DNS weight that is ignored'),
}
THRESHOLDS = {
    'reject': Option(threshold, '', 'load from which a node gets no delegated requests'),
    'critical': Option(threshold, '', 'load from which a node delegates'),
}
OPTIONS = options_of(AgentOptions)
AGENT_OPTIONS = OPTIONS | PLAN | THRESHOLDS
METRIC_OPTIONS = {
    'dampening': Option(fraction, 'fraction', 'weight of the previous load of the metric'),
    'direction': Option(one_of('lower', 'higher'), '', 'whether less or more of it is better'),
}


def agent_options(conf, metric_sections, path='lb-server.conf', default=NO_OPTIONS, faults=(),
                  cluster=None, image_socket=None):
    """Return the AgentOptions of [lb-agent] and of its [lb-agent:metric:NAME] sections.

    `conf` is {option: text}, `metric_sections` {NAME: {option: text}}, and `default` the section
    [DEFAULT], which holds for what `conf` does not set. `cluster` is [lb-cluster] or None;
    `image_socket` is a field of AgentOptions. Raises ConfigError with `faults` and a sentence for
    everything that is wrong.
    """
    where, faults = f'{path}, [{SECTION}]', list(faults)
    values = conf_file.parse_daemon(SECTION, conf, default, AGENT_OPTIONS, path, faults)
    sections = {name: metric_section(name, section, path, faults)
                for name, section in metric_sections.items()}
    wrong = {*default, *conf} - {*values}
    faults += conf_file.unnamed(values, where) + contradictions(values, wrong, where)
    of_cluster = cluster_options(cluster, path, faults, values)
    if faults:
        raise ConfigError(faults)
    limits = {name: values.get(name, 'auto') for name in THRESHOLDS}
    is_set = {name: value for name, value in values.items() if value != ''}
    plan = DEFAULTS._replace(
        **{name: is_set[name] for name in PLAN if name in is_set},
        **{name: float('inf') if limit == 'off' else limit
           for name, limit in limits.items() if limit != 'auto'})
    return AgentOptions(**{name: is_set[name] for name in OPTIONS if name in is_set}, plan=plan,
                        metrics=MappingProxyType(sections), cluster=of_cluster,
                        image_socket=image_socket, self_adapting='auto' in limits.values())


def metric_section(name, section, path, faults):
    """Return {option: value} of [lb-agent:metric:NAME]; append what is wrong to `faults`.

    `section` is {option: text}. The options of a plug-in are not parsed here: they stay texts.
    """
    where = f'{path}, [{METRIC_SECTION}{name}]'
    if METRIC.fullmatch(name) is None:
        faults.append(f'{where}: a metric is named by a-z, 0-9 and _, a letter first, at most 32')
    ours = {option: text for option, text in section.items() if option in METRIC_OPTIONS}
    own = {option: text for option, text in section.items()
           if option not in ours and not conf_file.is_swifts(option)}
    if name in SENSORS:
        own = parse_section(own, SENSORS[name].options, where, faults,
                            is_ignored=conf_file.is_swifts)
    return own | parse_section(ours, METRIC_OPTIONS, where, faults)


def contradictions(own, wrong, where):
    """Return a list with a sentence for each pair of options that contradict each other.

    `own` is {option: value}. Options named in `wrong` have values that cannot be parsed. `where`,
    file and section, begins each sentence.
    """
    own = dict.fromkeys(wrong, WRONG) | own
    peers, pulls = own.get('peers', ()), own.get('mode') == 'pull'
    limits = [own.get(name) for name in THRESHOLDS]
    checks = {
        'key: must be set where there are peers, the same on all nodes: reports are signed with it':
            peers and not own.get('key'),
        'key2: holds beside key while keys are changed; there is no key':
            own.get('key2') and not own.get('key'),
        'reject = {:g}: must not be more than critical = {:g}':
            all(isinstance(limit, float) for limit in limits) and limits[0] > limits[1],
        'http_key: must be set with mode = pull, the same on all nodes':
            pulls and peers and not own.get('http_key'),
        'http_ip: with mode = pull the peers must reach it, and they are not on this host':
            pulls and peers != WRONG and any(not is_this_host(host) for host, _port in peers)
            and is_this_host(own.get('http_ip', AgentOptions.http_ip)),
        'beta and gamma: at least one must be more than 0':
            not any(own.get(name, getattr(DEFAULTS, name)) for name in ('beta', 'gamma')),
    }
    return [f'{where}, {sentence.format(*limits) if "{" in sentence else sentence}'
            for sentence, holds in checks.items() if holds]


def read(path):
    """Return the AgentOptions of the conf file at `path`; raises ConfigError with all faults."""
    given = conf_file.read_sections(path, SECTION)
    metrics = {name.removeprefix(METRIC_SECTION): section for name, section in given.items()
               if name.startswith(METRIC_SECTION)}
    strange = [f'{path}, [{name}]: unknown section; those of the agent are [{SECTION}] and '
               f'[{METRIC_SECTION}NAME]' for name in given if name.startswith(SECTION)
               and name != SECTION and not name.startswith(METRIC_SECTION)]
    return agent_options(given[SECTION], metrics, path, given.get('DEFAULT', NO_OPTIONS), strange,
                         given.get(conf_file.CLUSTER), conf_file.image_socket(given))
