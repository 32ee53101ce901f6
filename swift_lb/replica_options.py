"""The lb_ options of a proxy and of its storage policies, and the parser of weights' targets."""
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from swift_lb.config import (
    NO_OPTIONS,
    InvalidError,
    boolean,
    number,
    one_of,
    option,
    options_of,
    parse_section,
    seconds,
)
from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES

PREFIX = 'lb_'
# [IPv6] or IP, :PORT, /DEVICE; or an IPv6 address alone
TARGET = re.compile(r'(?:\[([^]\[/\s]+)]|([^]\[:/\s]+))(?::([0-9]{1,5})(?:/(\S+))?)?'
                    r'|([0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)')


def weights(text):
    """Parse `IP[:PORT[/DEVICE]]=WEIGHT, ...` into {(ip[, port[, device]]): weight, 0 or more}.

    Raises InvalidError, also for a target with two weights.
    """
    return weights_of(text, target_key, 'IP=WEIGHT, IP:PORT=WEIGHT or IP:PORT/DEVICE=WEIGHT')


def weights_of(text, key_of, rule):
    """Parse `TARGET=WEIGHT, ...` into {key_of(TARGET): weight, 0 or more}, a read-only mapping.

    Raises InvalidError, as `key_of` does; its sentence on what is no TARGET=WEIGHT has the `rule`.
    """
    parsed = {}
    for entry in filter(None, (part.strip() for part in text.split(','))):
        target, equals, weight = entry.rpartition('=')
        if not equals:
            raise InvalidError(f'{entry!r} must be {rule}')
        try:
            value = number(weight.strip())
        except InvalidError as err:
            raise InvalidError(f'the weight of {entry!r} {err}') from None
        if value < 0:
            raise InvalidError(f'the weight of {entry!r} must be 0 or more')
        key = key_of(target.strip())
        if key in parsed:
            raise InvalidError(f'{target.strip()} has two weights')
        parsed[key] = value
    return MappingProxyType(parsed)


def target_key(target):
    """Parse the text IP[:PORT[/DEVICE]] into (ip[, port[, device]]); raises InvalidError.

    An IPv6 address that is followed by a port is in brackets.
    """
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


def target_text(target):
    """Return the text IP[:PORT[/DEVICE]] of `target`, which is a tuple made by target_key."""
    ip, *rest = target
    if not rest:
        return ip
    port, *device = rest
    return '/'.join([f'{f"[{ip}]" if ":" in ip else ip}:{port}', *device])


def normal(ip):
    """Return `ip` as rings write it: 2001:db8::1 for 2001:DB8::0:1; IPv4 and names unchanged."""
    try:
        return socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, ip))
    except (OSError, ValueError):
        return ip


def book(text):
    """Return `text`, which says which workers share a LoadBook: `host`, `worker` or a file's path.

    Raises InvalidError if it is neither of these words nor an absolute path.
    """
    if text not in ('host', 'worker') and not text.startswith('/'):
        raise InvalidError('must be host, worker or an absolute path')
    return text


@dataclass(frozen=True)
class ReplicaOptions:
    """The lb_ options of one storage policy, or of all policies without a section of their own."""

    enabled: bool = option(True, boolean, '', 'false: the order of reads is Swift\'s')
    policy: str = option('adaptive', one_of(*POLICIES), '', 'the rule that orders the replicas')
    chunk_clock: str = option('request', one_of('request', 'read'), '',
                              'when the clock of the first chunk starts')
    max_age: float = option(300.0, seconds(0.001), 'seconds', 'age at which a measure is dropped')
    unmeasured: str = option('shuffle', one_of('shuffle', 'first', 'last'), '',
                             'where nodes without a measure stand in the order')
    weights: Mapping = option(NO_OPTIONS, weights, '',
                              'share of reads of each target, for `weighted`')
    hedge: str = option('auto', one_of('auto', 'off'), '', 'whether a late read asks a second node')
    account_container: bool = option(False, boolean, '', 'order account and container reads too')
    metrics_interval: float = option(1.0, seconds(1), 'seconds', 'time between sends to StatsD')
    book: str = option('host', book, '', 'which processes share what is measured')


OPTIONS = options_of(ReplicaOptions)
WHOLE_PROXY = ('account_container', 'metrics_interval', 'book')


def _of_the_whole_proxy(_text):
    raise InvalidError('holds for the whole proxy; set it in the app section')


POLICY_OPTIONS = OPTIONS | {name: OPTIONS[name]._replace(parse=_of_the_whole_proxy)
                            for name in WHOLE_PROXY}


def replica_options(conf, policy_conf, path='proxy-server.conf', defaults=NO_OPTIONS):
    """Return {storage policy index: ReplicaOptions}; the key None holds for all other policies.

    `conf` is the app's section, `policy_conf` {index: section of the policy}, as Swift parses them,
    and `defaults` is [DEFAULT], which `conf` has in it. Raises ConfigError with all faults of all
    sections; each names the file, section and option, and says what the option accepts.
    """
    faults, inherited = [], {name for name in conf if defaults.get(name) == conf[name]}
    base = {}
    app = conf.get('__name__', 'proxy-server')
    for section, is_here in ('DEFAULT', True), (f'app:{app}', False):
        given = {name: text for name, text in conf.items() if (name in inherited) == is_here}
        base |= _parsed(given, OPTIONS, f'{path}, [{section}]', faults)
    options = {None: ReplicaOptions(**base)}
    for index, section in policy_conf.items():
        where = f'{path}, [{app}:policy:{index}]'
        # Swift merges [DEFAULT] into every section: faults of the app's section are not repeated.
        own = {option: text for option, text in section.items() if conf.get(option) != text}
        chosen = ReplicaOptions(**base | _parsed(own, POLICY_OPTIONS, where, faults))
        try:
            options[int(index)] = chosen    # as Swift reads it: a blank before it is no fault
        except ValueError:
            faults.append(f'{where}: a storage policy is named by its index, not {index!r}')
    if faults:
        raise ConfigError(faults)
    return options


def _parsed(section, table, where, faults):
    return parse_section(section, table, where, faults, prefix=PREFIX,
                         is_ignored=lambda name: not name.startswith(PREFIX))


def own_options(section, defaults):
    """Return a storage policy's `section` without the lb_ options that it has from [DEFAULT].

    Swift merges [DEFAULT], here `defaults`, into every section. But a lb_ option that a policy does
    not set itself is to come from the app's section, whose value may differ from [DEFAULT]'s.
    """
    return {option: text for option, text in section.items()
            if not option.startswith(PREFIX) or defaults.get(option) != text}


def unmatched(options, nodes):
    """Return a list of sentences, one for each target of a weight that matches none of `nodes`.

    `options` is {storage policy index: ReplicaOptions}, `nodes` are the Nodes of the rings. It is
    no error, since devices leave and join the rings while proxies run.
    """
    known = {key for node in nodes
             for key in ((node.ip,), (node.ip, node.port), (node.ip, node.port, node.device))}
    targets = sorted({key for chosen in options.values() for key in chosen.weights} - known,
                     key=str)
    return [f'lb_weights: {target_text(target)} is in no ring' for target in targets]
