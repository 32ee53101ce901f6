"""The options of /etc/swift/lb-server.conf's [lb-dns]: parsed once, refused at once, frozen."""
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import dns.name
import dns.rdata

from swift_lb.conf_file import AGENT, DNS, INSTRUCTION_FILE, NAMES, read_sections
from swift_lb.errors import ConfigError
from swift_lb.service.conf_section import parsed, unnamed
from swift_lb.service.dns.addresses import networks
from swift_lb.service.dns.contradictions import contradictions
from swift_lb.service.dns.keys import cookie_keys
from swift_lb.service.dns.names import hostmaster_of
from swift_lb.service.dns.option_table import ALGORITHMS, options_in
from swift_lb.service.option_types import key, node_name

SECTION = DNS
NOTHING = MappingProxyType({})
LEAST_TTL = 30          # seconds, and no more than the TTL


@dataclass(frozen=True, kw_only=True)
class DnsOptions:
    """What the DNS daemon is to do; `etc/lb-server.conf-sample` has each option's reason."""

    node: str = field(default_factory=lambda: socket.gethostname())
    zone: dns.name.Name                     # all names are absolute, in lower case
    names: tuple                            # that mean the proxies; *.NAME is a wildcard
    ns: Mapping                             # name of a server of the zone: its addresses
    hostmaster: dns.name.Name
    proxies: Mapping                        # node: (IPv4 or None, IPv6 or None)
    mode: str = 'membership'
    ttl: int = 60                           # seconds, as all that follow
    ttl_min: int = LEAST_TTL
    patience: int = 60
    ns_ttl: int = 3600
    negative_ttl: int = 60
    refresh: int = 7200
    retry: int = 1800
    expire: int = 1209600
    https: dns.rdata.Rdata | None = None
    bind_ip: tuple = ('0.0.0.0', '::')
    bind_port: int = 53
    workers: int = 1
    instruction_file: str = INSTRUCTION_FILE
    tcp_clients: int = 1000
    tcp_timeout: float = 10.0               # seconds
    rrl_rate: int = 200                     # answers per second; 0: no limit
    rrl_slip: int = 1
    rrl_exempt: tuple = networks('127.0.0.0/8, ::1/128')
    cookie_keys: tuple = ()                 # of 16 bytes; the first makes new cookies
    nsid: bytes = b''                       # empty: none is told
    proxy_port: int = 8080                  # 0: not tried
    http_ip: str = '127.0.0.1'
    http_port: int = 6210
    http_key: str = ''
    update_server: tuple | None = None      # (host, port)
    update_key_name: dns.name.Name | None = None
    update_key: bytes = b''
    update_algorithm: str = ALGORITHMS[0]
    update_interval: float = 5.0            # seconds


OF_AGENT = {'node': node_name, 'instruction_file': str}     # hold here too, if nothing else is said
KEYS = {'key': key, 'key2': key}                            # likewise, without a cookie_key


def dns_options(conf, path='lb-server.conf', lent=NOTHING, agent=NOTHING, faults=()):
    """Return the DnsOptions of [lb-dns].

    `conf` is {option: text}, `agent` that of [lb-agent], and `lent` what [DEFAULT] says, which
    holds for what the two do not. Raises ConfigError with every fault there is, and `faults`,
    which have been found before.
    """
    where, faults = f'{path}, [{SECTION}]', list(faults)
    table = options_in((lent | conf).get('zone', '').strip())
    agents = of_agent(conf, lent, agent, path, faults)
    own = parsed({name: text for name, text in lent.items() if name not in {*conf, *agents}},
                 table, f'{path}, [DEFAULT]', faults, NAMES[AGENT])
    own |= parsed(conf, table, where, faults)
    own |= {name: agents[name] for name in OF_AGENT if name in agents}
    wrong = {*lent, *conf} - {*own}
    faults += unnamed(own, where) + contradictions(own, wrong, DnsOptions.ttl, where)
    if faults:
        raise ConfigError(faults)
    return completed({name: value for name, value in own.items() if value != ''}, agents)


def of_agent(conf, lent, agent, path, faults):
    """Return {option: value} of what is said to the agent, and holds for DNS as well."""
    said = {name: text for name, text in agent.items()
            if name in OF_AGENT and text.strip() and not conf.get(name, '').strip()}
    keyed = any((lent | conf).get(name, '').strip() for name in ('cookie_key', 'cookie_key2'))
    keys = {} if keyed else KEYS
    said |= {name: agent[name] for name in keys if name in agent}
    found = parsed(said, OF_AGENT | KEYS, f'{path}, [{AGENT}]', faults)
    return found | parsed({name: lent[name] for name in keys if name in lent and name not in agent},
                          KEYS, f'{path}, [DEFAULT]', faults)


def completed(own, agents):
    """Return DnsOptions of the values that are set; `agents` are those of the agent."""
    zone, node = own['zone'], own.get('node') or socket.gethostname()
    taken = {name: value for name, value in own.items() if not name.startswith('cookie_')}
    usual = {'node': node, 'names': (zone,), 'ns': NOTHING, 'hostmaster': hostmaster_of(zone),
             'cookie_keys': cookie_keys(own, agents),
             'ttl_min': min(LEAST_TTL, own.get('ttl', LEAST_TTL)),
             'patience': own.get('ttl', DnsOptions.ttl)}
    return DnsOptions(**usual | taken)


def read(path):
    """Return the DnsOptions of the conf file at `path`; raises ConfigError."""
    given = read_sections(path, SECTION)
    strange = [f'{path}, [{name}]: unknown section; that of DNS is [{SECTION}]'
               for name in given if name.startswith(SECTION) and name != SECTION]
    return dns_options(given[SECTION], path, given.get('DEFAULT', NOTHING),
                       given.get(AGENT, NOTHING), strange)
