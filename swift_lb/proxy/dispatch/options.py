"""The options of [filter:lb_dispatcher]: parsed once, all faults reported together."""
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from swift.common.utils import config_true_value

from swift_lb.config import InvalidError, book, number, one_of, seconds, unknown_option, weights
from swift_lb.errors import ConfigError
from swift_lb.policy.backends import BACKEND_POLICIES

PASTES = ('use', '__name__', '__file__', 'here')
PLAIN = 'does not go with lb_dispatcher: proxies ask each other'


@dataclass(frozen=True)
class DispatchOptions:
    """The values of the options, at their defaults."""

    policy: str = 'adaptive'
    lb_conf: str = '/etc/swift/lb-server.conf'
    weights: Mapping = field(default_factory=lambda: MappingProxyType({}))
    band: float = 0.25                  # fraction
    connect_timeout: float = 0.5        # seconds
    book: str = 'host'
    key: str = ''                       # of the status page


def fraction(text):
    """Return the number, at least 0, in a conf's text; raises InvalidError."""
    value = number(text)
    if value < 0:
        raise InvalidError('must be a number, at least 0')
    return value


OPTIONS = {
    'policy': one_of(*BACKEND_POLICIES),
    'lb_conf': str,
    'weights': weights,
    'band': fraction,
    'connect_timeout': seconds(0.001),
    'book': book,
    'key': str,
}


def dispatch_options(section, where, known=()):
    """Return the DispatchOptions of a filter's section; raises ConfigError with every fault.

    `known` are sentences on faults elsewhere, which are reported with them.
    """
    values, faults = {}, list(known)
    for name, text in section.items():
        if name in PASTES:
            continue
        if name not in OPTIONS:
            faults.append(f'{where}, {name}: {unknown_option(name, OPTIONS)}')
            continue
        try:
            values[name] = OPTIONS[name](text.strip())
        except InvalidError as err:
            faults.append(f'{where}, {name} = {text}: {err}')
    if faults:
        raise ConfigError(faults)
    return DispatchOptions(**values)


def faults(section, where):
    """Return a sentence for each fault in a filter's section."""
    try:
        dispatch_options(section, where)
    except ConfigError as err:
        return err.faults
    return []


def server_faults(conf, path):
    """Return a sentence for each option of Swift's server with which peers can not ask it.

    `conf` has the options of the app's section and of [DEFAULT], as far as they are known.
    """
    faults = []
    if 'cert_file' in conf:     # whatever its value, as in Swift
        faults.append(f'{path}, cert_file: {PLAIN} by HTTP without TLS; end TLS in front of them')
    if config_true_value(conf.get('require_proxy_protocol', 'no')):
        faults.append(f'{path}, require_proxy_protocol: {PLAIN} without a PROXY line; end the '
                      'PROXY protocol in front of them')
    return faults
