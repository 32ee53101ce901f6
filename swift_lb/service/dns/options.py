"""The options of /etc/swift/lb-server.conf's [lb-dns]."""
import contextlib
import re
import socket
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field

import dns.name
import dns.rdata

from swift_lb import conf_file
from swift_lb.config import (
    NO_OPTIONS,
    InvalidError,
    Option,
    matching,
    one_of,
    option,
    optional,
    options_of,
    parse_section,
    shared_key,
    whole,
    within,
)
from swift_lb.errors import ConfigError
from swift_lb.service.dns.addresses import ips, networks, one_ip, proxies, server
from swift_lb.service.dns.contradictions import contradictions
from swift_lb.service.dns.keys import cookie_key, cookie_keys, update_key
from swift_lb.service.dns.names import domain, hostmaster, hostmaster_of, names, ns, zone
from swift_lb.service.dns.rdata import https

SECTION = conf_file.DNS
MODES = ('ordered', 'membership', 'auto', 'single', 'all', 'rfc2136')
ALGORITHMS = ('hmac-sha256', 'hmac-sha384', 'hmac-sha512')      # RFC 8945 6
DAY = 86400             # seconds
MAX_TTL = 2**31 - 1     # seconds (RFC 2181 8)
DOUBTFUL_TTL = 30       # seconds; the default of ttl_min, but never more than ttl
NSID = re.compile('[!-~]{1,64}')

port, cached, soa = whole(1, 65535), whole(1, DAY), whole(1, MAX_TTL)
name = optional(conf_file.node_name)
secret = optional(cookie_key)


def nsid(text):
    """Parse the server's identity (NSID, RFC 5001) into the bytes that answers contain."""
    return matching(NSID, 'letters, digits and signs, 64 at most')(text).encode()


@dataclass(frozen=True, kw_only=True)
class DnsOptions:
    """The options of the DNS daemon; `etc/lb-server.conf-sample` explains each of them.

    All domain names are absolute and in lower case.
    """

    node: str = field(default_factory=lambda: socket.gethostname(), metadata={
        'option': Option(name, '', 'the name of this node')})
    zone: dns.name.Name = option(MISSING, optional(zone), '', 'the domain that is served')
    names: tuple = option(MISSING, optional(names(None)), '', 'names of the proxies')
    ns: Mapping = option(MISSING, optional(ns(None)), '', 'name of each server: its addresses')
    hostmaster: dns.name.Name = option(MISSING, optional(hostmaster), '', 'mail address for SOA')
    proxies: Mapping = option(MISSING, optional(proxies), '', 'node: (IPv4 or None, IPv6 or None)')
    mode: str = option('membership', one_of(*MODES), '', 'which addresses are in an answer')
    ttl: int = option(60, cached, 'seconds', 'TTL of addresses')
    ttl_min: int = option(DOUBTFUL_TTL, cached, 'seconds', 'TTL while a node is in doubt')
    patience: int = option(60, whole(0, DAY), 'seconds', 'overload that is not acted on')
    ns_ttl: int = option(3600, soa, 'seconds', 'TTL of NS, of the addresses of servers, of SOA')
    negative_ttl: int = option(60, cached, 'seconds', 'TTL of negative answers')
    refresh: int = option(7200, soa, 'seconds', 'of SOA')
    retry: int = option(1800, soa, 'seconds', 'of SOA')
    expire: int = option(1209600, soa, 'seconds', 'of SOA')
    https: dns.rdata.Rdata | None = option(None, optional(https), '', 'the HTTPS record of names')
    bind_ip: tuple = option(('0.0.0.0', '::'), optional(ips), '', 'addresses that are served')
    bind_port: int = option(53, port, '', 'UDP and TCP port')
    workers: int = option(1, whole(1, 64), '', 'processes that answer UDP')
    instruction_file: str = option(conf_file.INSTRUCTION_FILE, str, '', 'where the agent writes')
    tcp_clients: int = option(1000, whole(1, 100_000), '', 'TCP connections at a time')
    tcp_timeout: float = option(10.0, within(0.1, 3600.0), 'seconds', 'limit of an idle connection')
    rrl_rate: int = option(200, whole(0, 1_000_000), 'a second', 'answers to a network; 0: any')
    rrl_slip: int = option(1, whole(0, 100), '', 'which answer over the limit is cut, not dropped')
    rrl_exempt: tuple = option(networks('127.0.0.0/8, ::1/128'), optional(networks), '',
                               'networks without a limit')
    cookie_keys: tuple = ()                 # of 16 bytes; the first makes new cookies
    nsid: bytes = option(b'', optional(nsid), '', 'identity in answers; empty: not sent')
    proxy_port: int = option(8080, whole(0, 65535), '', 'port that is tried on proxies; 0: none')
    http_ip: str = option('127.0.0.1', optional(one_ip), '', 'address that serves HTTP')
    http_port: int = option(6210, port, '', 'port that serves HTTP')
    http_key: str = option('', shared_key, '', 'secret of HTTP clients of other hosts')
    update_server: tuple | None = option(None, optional(server), '', '(host, port) of the primary')
    update_key_name: dns.name.Name | None = option(None, optional(domain), '', 'name of the key')
    update_key: bytes = option(b'', optional(update_key), '', 'secret that signs updates')
    update_algorithm: str = option(ALGORITHMS[0], one_of(*ALGORITHMS), '', 'of the signature')
    update_interval: float = option(5.0, within(0.1, 3600.0), 'seconds', 'time between checks')

    @property
    def records(self):
        """The records, dnspython's Rdata, that the proxies' names have in addition to addresses."""
        return [value for value in vars(self).values() if hasattr(value, 'rdtype')]


COOKIE_KEYS = {
    'cookie_key': Option(secret, '', 'secret of DNS cookies'),
    'cookie_key2': Option(secret, '', 'second secret that is accepted while keys change'),
}
OPTIONS = options_of(DnsOptions) | COOKIE_KEYS
# Options of [lb-agent] that hold here if [lb-dns] does not set them.
OF_AGENT = {option: OPTIONS[option] for option in ('node', 'instruction_file')}
# Likewise, if [lb-dns] has no key of cookies.
AGENT_KEYS = {option: Option(shared_key, '', 'secret that signs reports')
              for option in ('key', 'key2')}


def options_in(text):
    """Return {option: Option} of [lb-dns]; if `text`, the zone, is valid, names must be in it."""
    with contextlib.suppress(InvalidError):
        domain = zone(text)
        return OPTIONS | {'names': OPTIONS['names']._replace(parse=optional(names(domain))),
                          'ns': OPTIONS['ns']._replace(parse=optional(ns(domain)))}
    return OPTIONS


def dns_options(conf, path='lb-server.conf', default=NO_OPTIONS, agent=NO_OPTIONS, faults=()):
    """Return the DnsOptions of the section [lb-dns].

    `conf` is {option: text} of [lb-dns], `agent` that of [lb-agent], and `default` that of
    [DEFAULT], which holds for options that the two do not set. Raises ConfigError with `faults` and
    a sentence for everything that is wrong.
    """
    where, faults = f'{path}, [{SECTION}]', list(faults)
    table = options_in((default | conf).get('zone', '').strip())
    agents = of_agent(conf, default, agent, path, faults)
    own_default = {name: text for name, text in default.items() if name not in agents}
    own = conf_file.parse_daemon(SECTION, conf, own_default, table, path, faults)
    own |= {name: agents[name] for name in OF_AGENT if name in agents}
    wrong = {*default, *conf} - {*own}
    faults += conf_file.unnamed(own, where) + contradictions(own, wrong, DnsOptions.ttl, where)
    if faults:
        raise ConfigError(faults)
    return completed({name: value for name, value in own.items() if value != ''}, agents)


def of_agent(conf, default, agent, path, faults):
    """Return {option: value} of options that [lb-dns] lacks, from [lb-agent] or [DEFAULT].

    `conf`, `default` and `agent` are {option: text} of [lb-dns], [DEFAULT] and [lb-agent]; what is
    wrong is appended to `faults`.
    """
    texts = {name: text for name, text in agent.items()
             if name in OF_AGENT and text.strip() and not conf.get(name, '').strip()}
    keyed = any((default | conf).get(name, '').strip() for name in COOKIE_KEYS)
    keys = {} if keyed else AGENT_KEYS
    texts |= {name: agent[name] for name in keys if name in agent}
    inherited = {name: default[name] for name in keys if name in default and name not in agent}
    return (parse_section(texts, OF_AGENT | AGENT_KEYS, f'{path}, [{conf_file.AGENT}]', faults)
            | parse_section(inherited, AGENT_KEYS, f'{path}, [DEFAULT]', faults))


def completed(own, agents):
    """Return DnsOptions, defaults included.

    `own` is {option: value} of [lb-dns], `agents` the result of of_agent().
    """
    zone, node = own['zone'], own.get('node') or socket.gethostname()
    values = {name: value for name, value in own.items() if name not in COOKIE_KEYS}
    derived = {'node': node, 'names': (zone,), 'ns': NO_OPTIONS, 'hostmaster': hostmaster_of(zone),
               'cookie_keys': cookie_keys(own, agents),
               'ttl_min': min(DOUBTFUL_TTL, own.get('ttl', DOUBTFUL_TTL)),
               'patience': own.get('ttl', DnsOptions.ttl)}
    return DnsOptions(**derived | values)


def read(path):
    """Return the DnsOptions of the conf file at `path`; raises ConfigError with all faults."""
    given = conf_file.read_sections(path, SECTION)
    strange = [f'{path}, [{name}]: unknown section; that of DNS is [{SECTION}]'
               for name in given if name.startswith(SECTION) and name != SECTION]
    return dns_options(given[SECTION], path, given.get('DEFAULT', NO_OPTIONS),
                       given.get(conf_file.AGENT, NO_OPTIONS), strange)
