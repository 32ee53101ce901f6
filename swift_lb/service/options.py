"""The options of /etc/swift/lb-server.conf's [lb-agent]: parsed once, refused at once, frozen."""
import configparser
import contextlib
import dataclasses
import math
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from swift_lb.access import is_this_host
from swift_lb.conf_file import AGENT, DNS, INSTRUCTION_FILE, NAMES, read_sections
from swift_lb.config import InvalidError, boolean, number, one_of, seconds
from swift_lb.errors import ConfigError
from swift_lb.plan.options import DEFAULTS, PlanOptions
from swift_lb.plan.plan import RULES
from swift_lb.regular_file import open_regular
from swift_lb.service.conf_section import is_swifts, parsed, unnamed
from swift_lb.service.option_types import (
    host_port,
    key,
    matching,
    node_name,
    whole,
    within,
    words,
)
from swift_lb.service.sensors import SENSORS
from swift_lb.wire.node_report import LEAST_INTERVAL, METRIC, MOST_INTERVAL, PROXY

SECTION = AGENT
METRIC_SECTION = SECTION + ':metric:'
PORT = 6208             # of reports; HTTP has the next one
NOTHING = MappingProxyType({})
WRONG = 'wrong'         # instead of a value that has been told of


@dataclass(frozen=True)
class AgentOptions:
    """What an agent is to do; `etc/lb-server.conf-sample` has each option's reason."""

    node: str = field(default_factory=lambda: socket.gethostname())
    bind_ip: str = '0.0.0.0'
    bind_port: int = PORT
    http_ip: str = '127.0.0.1'
    http_port: int = PORT + 1
    http_key: str = ''
    peers: tuple = ()                   # of (host, port)
    key: str = ''
    key2: str = ''
    mode: str = 'push'
    interval: float = 1.0               # seconds
    proxy: str = ''
    proxy_conf: str = '/etc/swift/proxy-server.conf'
    check: bool = True
    instruction_file: str = INSTRUCTION_FILE
    dampening: float = 0.1
    devices: str = '/srv/node'
    interfaces: tuple = ()
    speed: float | None = None          # bits per second
    plan: PlanOptions = DEFAULTS
    ramp: float = 30.0                  # seconds
    self_adapting: bool = True          # thresholds are each node's own
    metrics: Mapping = field(default_factory=lambda: MappingProxyType({}))  # name: its section


def peers(text):
    """Parse `HOST[:PORT], ...`, an IPv6 address in brackets, into ((host, port), ...)."""
    found = dict.fromkeys(host_port(word, PORT) for word in words(text))
    return tuple(found)


def threshold(text):
    """Parse a threshold: auto, off or a load."""
    if text in ('auto', 'off'):
        return text
    value = number(text)
    if value <= 0:
        raise InvalidError('must be auto, off or a number more than 0')
    return value


def speed(text):
    """Parse bits per second, with k, M or G after it."""
    factor = {'k': 1e3, 'M': 1e6, 'G': 1e9}.get(text[-1:])
    try:
        value = number(text[:-1] if factor else text) * (factor or 1.0) if text else None
    except InvalidError:
        value = 0.0
    if value is not None and not 0 < value < math.inf:
        raise InvalidError('must be bits per second, such as 10G, or nothing')
    return value


FACTS = {       # of a proxy-server.conf: section and option
    'bind_ip': ('DEFAULT', 'bind_ip'), 'bind_port': ('DEFAULT', 'bind_port'),
    'cert_file': ('DEFAULT', 'cert_file'),
    'user': ('DEFAULT', 'user'), 'disable_path': ('filter:healthcheck', 'disable_path'),
    'book': ('app:proxy-server', 'lb_book'), 'dispatch_book': ('filter:lb_dispatcher', 'book'),
}


def speeds(text):
    """Parse `INTERFACE=SPEED, ...` into {interface: bits per second}."""
    found = {}
    for word in words(text):
        name, equals, rate = word.partition('=')
        if not equals or not name or not rate:
            raise InvalidError(f'{word!r} must be INTERFACE=SPEED, such as eth0=10G')
        found[name] = speed(rate)
    return found


fraction = within(0.0, 1.0)
OPTIONS = {     # of the agent
    'node': node_name, 'bind_ip': str, 'bind_port': whole(1, 65535),
    'http_ip': str, 'http_port': whole(1, 65535), 'http_key': key,
    'peers': peers, 'key': key, 'key2': key,
    'mode': one_of('push', 'pull'), 'interval': within(LEAST_INTERVAL, 10.0),
    'proxy': matching(PROXY, 'IP:PORT, or [IPV6]:PORT'), 'proxy_conf': str, 'check': boolean,
    'instruction_file': str, 'dampening': fraction,
    'ramp': seconds(0.0), 'devices': str, 'interfaces': words, 'speed': speed,
}
PLAN = {        # of the plan
    'rules': one_of(*RULES), 'metric': matching(METRIC, 'auto or the name of a metric'),
    'alpha': within(0.0, 1e6), 'beta': within(0.0, 1e6), 'gamma': within(0.0, 1e6),
    'rho': within(1.0, 1e6), 'band': within(0.0, 10.0), 'ratio': within(1.0, 1e6),
    'floor': fraction, 'tau': seconds(0.001), 'hysteresis': fraction,
}
THRESHOLDS = {'reject': threshold, 'critical': threshold}
OF_AGENT = OPTIONS | PLAN | THRESHOLDS
OF_A_METRIC = {'dampening': fraction, 'direction': one_of('lower', 'higher')}
OF_A_SENSOR = {'interfaces': words, 'speed': speed, 'speeds': speeds, 'devices': str, 'path': str}
assert MOST_INTERVAL >= 10.0


def agent_options(conf, metric_sections, path='lb-server.conf', lent=NOTHING,
                  faults=()):
    """Return the AgentOptions of [lb-agent] and of its [lb-agent:metric:NAME] sections.

    `conf` is {option: text}, `metric_sections` {NAME: {option: text}}, and `lent` what [DEFAULT]
    says, which holds for what `conf` does not. Raises ConfigError with every fault there is, and
    `faults`, which have been found before.
    """
    where, faults = f'{path}, [{SECTION}]', list(faults)
    own = parsed({name: text for name, text in lent.items() if name not in conf}, OF_AGENT,
                 f'{path}, [DEFAULT]', faults, NAMES[DNS]) | parsed(conf, OF_AGENT, where, faults)
    sections = {name: metric_section(name, section, path, faults)
                for name, section in metric_sections.items()}
    faults += unnamed(own, where) + contradictions(
        own, {*lent, *conf} - {*own}, where)
    if faults:
        raise ConfigError(faults)
    fixed = {name: own[name] for name in THRESHOLDS if isinstance(own.get(name), float)}
    off = {name: float('inf') for name in THRESHOLDS if own.get(name) == 'off'}
    planned = DEFAULTS._replace(**{name: own[name] for name in PLAN if own.get(name, '') != ''},
                                **fixed, **off)
    return AgentOptions(**{name: own[name] for name in OPTIONS if name in own and own[name] != ''},
                        plan=planned, metrics=MappingProxyType(sections),
                        self_adapting='auto' in [own.get(name, 'auto') for name in THRESHOLDS])


def metric_section(name, section, path, faults):
    """Return {option: value} of one metric's section; what is not ours is its plug-in's."""
    where = f'{path}, [{METRIC_SECTION}{name}]'
    if METRIC.fullmatch(name) is None:
        faults.append(f'{where}: a metric is named by a-z, 0-9 and _, a letter first, at most 32')
    ours = {option: text for option, text in section.items() if option in OF_A_METRIC}
    own = {option: text for option, text in section.items()
           if option not in ours and not is_swifts(option)}
    if name in SENSORS:
        own = parsed(own, {option: OF_A_SENSOR[option] for option in SENSORS[name].options},
                     where, faults)
    return own | parsed(ours, OF_A_METRIC, where, faults)


def contradictions(own, wrong, where):
    """Return a sentence for each two options that do not go together.

    The names in `wrong` have been told of: they are set, to what we do not know.
    """
    found, own = [], dict.fromkeys(wrong, WRONG) | own
    if own.get('peers') and not own.get('key'):
        found.append(f'{where}, key: must be set where there are peers, the same on all nodes: '
                     'reports are signed with it')
    if own.get('key2') and not own.get('key'):
        found.append(f'{where}, key2: holds beside key while keys are changed; there is no key')
    limits = [own.get(name) for name in THRESHOLDS]
    if all(isinstance(limit, float) for limit in limits) and limits[0] > limits[1]:
        found.append(f'{where}, reject = {limits[0]:g}: must not be more than critical = '
                     f'{limits[1]:g}')
    if own.get('mode') == 'pull' and own.get('peers') and not own.get('http_key'):
        found.append(f'{where}, http_key: must be set with mode = pull, the same on all nodes')
    if own.get('mode') == 'pull' and any(not is_this_host(host) for host, _port in own.get(
            'peers', ())) and is_this_host(own.get('http_ip', AgentOptions.http_ip)):
        found.append(f'{where}, http_ip: with mode = pull the peers must reach it, and they are '
                     'not on this host')
    weights = [own.get(name, getattr(DEFAULTS, name)) for name in ('beta', 'gamma')]
    if not any(weights):
        found.append(f'{where}, beta and gamma: at least one must be more than 0')
    return found


def read(path):
    """Return the AgentOptions of the conf file at `path`; raises ConfigError."""
    given = read_sections(path, SECTION)
    metrics = {name.removeprefix(METRIC_SECTION): section for name, section in given.items()
               if name.startswith(METRIC_SECTION)}
    strange = [f'{path}, [{name}]: unknown section; those of the agent are [{SECTION}] and '
               f'[{METRIC_SECTION}NAME]' for name in given if name.startswith(SECTION)
               and name != SECTION and not name.startswith(METRIC_SECTION)]
    return agent_options(given[SECTION], metrics, path, given.get('DEFAULT', NOTHING), strange)


def proxy_facts(path):
    """Return what an agent wants to know of a proxy-server.conf, {name: text, None if not there}.

    Nothing is known of a file that can not be read.
    """
    parser = configparser.RawConfigParser(strict=False)
    with (contextlib.suppress(OSError, configparser.Error, UnicodeDecodeError),
          open_regular(path, encoding='utf-8') as lines):
        parser.read_file(lines)
    return {name: parser.get(section, option, fallback=None) if parser.has_section(section)
            else parser.defaults().get(option) for name, (section, option) in FACTS.items()}


def with_proxy(options, facts):
    """Return AgentOptions whose `proxy` is that of the conf's facts, if it has not been set."""
    ip, port = facts['bind_ip'], facts['bind_port']
    if options.proxy or not port or ip in (None, '0.0.0.0', '::'):
        return options
    proxy = f'[{ip}]:{port}' if ':' in ip else f'{ip}:{port}'
    return dataclasses.replace(options, proxy=proxy) if PROXY.fullmatch(proxy) else options
