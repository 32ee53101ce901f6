"""The options of `[app:proxy-server]`: parsed once, refused at once, frozen.

One table, OPTIONS, says of each option how it is read and what is accepted; the conf sample and the
error messages are held against it by tests.
"""
import difflib
import math
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES

PREFIX = 'lb_'
# [IPv6] or IP, :PORT, /DEVICE; or an IPv6 address alone
TARGET = re.compile(r'(?:\[([^]\[/\s]+)]|([^]\[:/\s]+))(?::([0-9]{1,5})(?:/(\S+))?)?'
                    r'|([0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)')


@dataclass(frozen=True)
class ReplicaOptions:
    """The options of one storage policy, or of all that have no section of their own."""

    enabled: bool = True
    policy: str = 'adaptive'
    chunk_clock: str = 'request'
    max_age: float = 300.0               # seconds
    unmeasured: str = 'shuffle'
    weights: Mapping = field(default_factory=lambda: MappingProxyType({}))
    hedge: str = 'auto'
    account_container: bool = False
    metrics_interval: float = 1.0        # seconds
    book: str = 'host'


class InvalidError(ValueError):
    """A value is not what its option accepts; the message says what is."""


def one_of(*names):
    """Return a parser that accepts one of `names`."""
    def parse(text):
        if text not in names:
            raise InvalidError(f'must be one of {", ".join(names)}')
        return text
    return parse


def boolean(text):
    """Parse Swift's words for true and false."""
    words = {**dict.fromkeys(('true', '1', 'yes', 'on', 't', 'y'), True),
             **dict.fromkeys(('false', '0', 'no', 'off', 'f', 'n'), False)}
    try:
        return words[text.lower()]
    except KeyError:
        raise InvalidError('must be true or false') from None


def seconds(least):
    """Return a parser of a finite number of seconds, at least `least`."""
    def parse(text):
        value = number(text)
        if value < least:
            raise InvalidError(f'must be a number of seconds, at least {least:g}')
        return value
    return parse


def number(text):
    """Parse a finite number; "nan" and "inf" are numbers to Python and to no operator."""
    try:
        value = float(text)
    except ValueError:
        raise InvalidError('must be a number') from None
    if not math.isfinite(value):
        raise InvalidError('must be a finite number')
    return value


def weights(text):
    """Parse `IP[:PORT[/DEVICE]]=WEIGHT, ...` into {(ip[, port[, device]]): weight}."""
    parsed = {}
    for entry in filter(None, (part.strip() for part in text.split(','))):
        target, equals, weight = entry.rpartition('=')
        if not equals:
            raise InvalidError(
                f'{entry!r} must be IP=WEIGHT, IP:PORT=WEIGHT or IP:PORT/DEVICE=WEIGHT')
        try:
            value = number(weight.strip())
        except InvalidError as err:
            raise InvalidError(f'the weight of {entry!r} {err}') from None
        if value < 0:
            raise InvalidError(f'the weight of {entry!r} must be 0 or more')
        key = target_key(target.strip())
        if key in parsed:
            raise InvalidError(f'{target_text(key)} has two weights')
        parsed[key] = value
    return MappingProxyType(parsed)


def target_key(target):
    """Parse `ip`, `ip:port` or `ip:port/device`; an IPv6 address with a port is in brackets."""
    matched = TARGET.fullmatch(target)
    if matched is None:
        raise InvalidError(f'{target!r} must be IP, IP:PORT or IP:PORT/DEVICE '
                           '(IPv6 with a port in brackets)')
    bracketed, plain, port, device, ipv6 = matched.groups()
    key = (normal(bracketed or plain or ipv6),)
    if port:
        if int(port) > 65535:
            raise InvalidError(f'{target!r}: a port is at most 65535')
        key += (int(port),)
    return key + ((device,) if device else ())


def normal(ip):
    """Return an address as rings write it: 2001:DB8::0:1 is 2001:db8::1; a name stays as it is.

    Swift's expand_ipv6 does the same.
    """
    try:
        return socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, ip))
    except (OSError, ValueError):
        return ip


def book(text):
    """Parse whose the book is: the host's, the worker's, or that of all who name the same file."""
    if text not in ('host', 'worker') and not text.startswith('/'):
        raise InvalidError('must be host, worker or an absolute path')
    return text


def own_options(section, defaults):
    """Return `section` without the lb_ options that it has from [DEFAULT].

    Swift lends [DEFAULT] to every section, the app's section may have overridden it, and what the
    app says holds for every storage policy that says nothing itself.
    """
    return {option: text for option, text in section.items()
            if not option.startswith(PREFIX) or defaults.get(option) != text}


# option: (parser, may be set per storage policy)
OPTIONS = {
    'enabled': (boolean, True),
    'policy': (one_of(*POLICIES), True),
    'chunk_clock': (one_of('request', 'read'), True),
    'max_age': (seconds(0.001), True),
    'unmeasured': (one_of('shuffle', 'first', 'last'), True),
    'weights': (weights, True),
    'hedge': (one_of('auto', 'off'), True),
    'account_container': (boolean, False),
    'metrics_interval': (seconds(1), False),
    'book': (book, False),
}


def replica_options(conf, policy_conf, path='proxy-server.conf', app_section='app:proxy-server'):
    """Return {None: ReplicaOptions, storage policy index: ReplicaOptions}.

    `conf` is the app's section and `policy_conf` {index: its section}, as Swift parses them. Raises
    ConfigError with every fault of every section, each naming file, section, option and what is
    accepted.
    """
    faults = []
    base = _section(conf, False, f'{path}, [{app_section}]', faults)
    name = app_section.removeprefix('app:')
    found = {None: ReplicaOptions(**base)}
    for index, section in policy_conf.items():
        where = f'{path}, [{name}:policy:{index}]'
        # Swift lends [DEFAULT] to every section: what the app's section says too is not repeated.
        own = {option: text for option, text in section.items() if conf.get(option) != text}
        chosen = ReplicaOptions(**base | _section(own, True, where, faults))
        if str(index).isdecimal():
            found[int(index)] = chosen
        else:
            faults.append(f'{where}: a storage policy is named by its index, not {index!r}')
    if faults:
        raise ConfigError(faults)
    return found


def _section(conf, per_policy, where, faults):
    values = {}
    for option, text in conf.items():
        if not option.startswith(PREFIX):
            continue
        try:
            values[option.removeprefix(PREFIX)] = _value(option, text, per_policy)
        except InvalidError as err:
            faults.append(f'{where}, {option} = {text}: {err}')
    return values


def _value(option, text, per_policy):
    name = option.removeprefix(PREFIX)
    if name not in OPTIONS:
        raise InvalidError(unknown_option(name, OPTIONS, PREFIX))
    parse, overridable = OPTIONS[name]
    if per_policy and not overridable:
        raise InvalidError('holds for the whole proxy; set it in the app section')
    return parse(str(text).strip())


def unknown_option(name, known, prefix=''):
    """Return what is wrong with an option that is none of `known`: all, `prefix` left out."""
    near = difflib.get_close_matches(name, known, 1)
    return 'unknown option; ' + (
        f'did you mean {prefix}{near[0]}?' if near else
        f'the options are {", ".join(prefix + one for one in known)}')


def unmatched(options, nodes):
    """Return a warning for each weight in {index: ReplicaOptions} that matches none of `nodes`.

    A warning and not an error: devices leave and join the ring while proxies run.
    """
    known = {key for node in nodes
             for key in ((node.ip,), (node.ip, node.port), (node.ip, node.port, node.device))}
    targets = sorted({key for chosen in options.values() for key in chosen.weights} - known,
                     key=str)
    return [f'lb_weights: {target_text(target)} is in no ring' for target in targets]


def target_text(target):
    """Write a target_key as the operator did."""
    ip, *rest = target
    if not rest:
        return ip
    port, *device = rest
    return '/'.join([f'{f"[{ip}]" if ":" in ip else ip}:{port}', *device])
