"""LabSpec, the frozen description of a lab; it is refused at once if it cannot be built."""
import re
from dataclasses import dataclass, field

from swift_lb.errors import ConfigError
from swift_lb.lab.conf import AGENT_OPTIONS, MORE_FILTERS, PROXY_FILTERS

APPS = ('egg:swift-lb#proxy', 'egg:swift#proxy')
NAME = re.compile(r'[a-z0-9][a-z0-9-]{0,31}$')  # also the name of a directory
OPTION = re.compile(r'((DEFAULT|policy:\d+|filter:(?P<filter>[A-Za-z0-9_-]+)):)?[A-Za-z0-9_]+$')
ALONE = ('0', '1')      # numbers of workers for which a server is a single process
LIMITS = {  # field: (minimum, maximum, what it counts)
    'nodes': (1, 64, 'storage nodes'),
    'devices': (1, 32, 'devices a node'),
    'proxies': (1, 16, 'proxies'),
    'workers': (1, 32, 'workers a proxy'),
    'object_workers': (0, 32, 'workers a storage node'),
    'replicas': (1, 16, 'replicas'),
    'part_power': (1, 16, 'bits of partition number'),
    'port': (1, 65000, 'TCP port of the first proxy'),
    'regions': (1, 8, 'regions, each in a site and with these nodes and proxies'),
}
EC_FRAGMENTS = 3  # ec21: 2 data + 1 parity
REGION_POLICIES = 10    # and the region's number: the policy whose replicas are only there


@dataclass(frozen=True)
class LabSpec:
    """A description of a lab; the constructor raises ConfigError that lists every fault.

        profile             the name or the path of a handicap profile
        proxy_options       {option: value} of the proxies' conf; an option is NAME,
                            policy:INDEX:NAME, filter:FILTER:NAME or DEFAULT:NAME
        agent_options       {option: value} of [lb-agent] of all agents; see AGENT_OPTIONS
        image_options       {option: value} of [lb-image] of all decoders of images
        object_workers      workers of each storage node; 0: the parent process serves
        reports             storage nodes have the filter lb_report
        agents              each proxy has an agent
        dns                 each proxy has an agent, a DNS service, and an address of its own
        dispatch            each proxy has an agent and, unless `app` is Swift's own, the filter
                            lb_dispatcher
        regions             regions of this Swift, each in a site of its own, with `nodes` storage
                            nodes and `proxies` proxies; node and proxy numbers go on
        site                the site of the wide-area network in which its servers run; with
                            regions the sites, separated by commas, or None: all
        read_affinity       proxies read in their own region first
        sync                runs container-sync, and proxies have its filter
        images              each proxy has the filter lb_image, unless `app` is Swift's own, and a
                            swift-lb-image beside it
        handicap_proxies    proxies have the filter lb_handicap, as storage nodes do
        filters             names in MORE_FILTERS: Swift's filters that proxies also have
        timeout             seconds within which all servers must answer
        log_level           Swift's option log_level
    """

    name: str = 'default'
    nodes: int = 3
    devices: int = 1
    proxies: int = 1
    workers: int = 1
    object_workers: int = 0
    replicas: int = 3
    part_power: int = 6
    app: str = APPS[0]
    profile: str | None = None
    ec: bool = False
    second_policy: bool = False
    reports: bool = True
    agents: bool = False
    dns: bool = False
    dispatch: bool = False
    images: bool = False
    handicap_proxies: bool = False
    site: str | None = None
    regions: int = 1
    read_affinity: bool = False
    sync: bool = False
    filters: tuple = ()
    proxy_options: dict = field(default_factory=dict)
    agent_options: dict = field(default_factory=dict)
    image_options: dict = field(default_factory=dict)
    port: int = 8080
    log_level: str = 'INFO'
    timeout: float = 120.0

    def __post_init__(self):
        """Raise ConfigError that lists every field with an impossible value."""
        if faults := [*self._faults()]:
            raise ConfigError(faults)
        if self.dispatch:
            object.__setattr__(self, 'agents', True)

    def _faults(self):
        if not NAME.match(self.name):
            yield (f'lab name {self.name!r}: must be 1 to 32 of a-z, 0-9 and -, '
                   'the first not a -')
        for key, (least, most, what) in LIMITS.items():
            value = getattr(self, key)
            if not isinstance(value, int) or not least <= value <= most:
                yield f'{key} = {value}: the number of {what} must be {least} to {most}' \
                    if key != 'port' else f'port = {value}: must be {least} to {most}'
        if self.app not in APPS:
            yield f'app = {self.app}: must be {" or ".join(APPS)}'
        if self.timeout <= 0:
            yield f'timeout = {self.timeout:g}: must be more than 0 seconds'
        for name in self.filters:
            if name not in MORE_FILTERS:
                yield f'filter {name!r}: must be one of {", ".join(MORE_FILTERS)}'
        yield from self._region_faults()
        yield from self._ring_faults()
        yield from self._option_faults()
        yield from self._agent_faults()

    def _option_faults(self):
        for name in self.proxy_options:
            match = OPTION.match(name)
            if not match:
                yield (f'proxy option {name!r}: must be NAME, policy:INDEX:NAME, '
                       'filter:FILTER:NAME or DEFAULT:NAME')
            elif match['filter'] and match['filter'] not in PROXY_FILTERS:
                yield f'proxy option {name!r}: the filters are {", ".join(PROXY_FILTERS)}'
        workers = str(self.proxy_options.get('DEFAULT:workers', self.workers))
        if self.handicap_proxies and workers not in ALONE:
            yield (f'handicap_proxies: each of {workers} workers would have slots of its own, so a '
                   'proxy can have 1 worker')

    def _agent_faults(self):
        if self.agent_options and not (self.agents or self.dns or self.dispatch):
            yield f'agent_options {", ".join(self.agent_options)}: this lab has no agents'
        for name in self.agent_options:
            if name not in AGENT_OPTIONS:
                yield f'agent option {name!r}: must be one of {", ".join(AGENT_OPTIONS)}'

    def _region_faults(self):
        if self.site is not None and not len(set(self.sites)) == len(self.sites) == self.regions:
            yield (f'site = {self.site}: must be as many different sites as there are regions, '
                   f'{self.regions}')
        if self.read_affinity and self.regions == 1:
            yield 'read_affinity: needs two or more regions'
        if self.replicas < self.regions:
            yield f'replicas = {self.replicas}: {self.regions} regions need one each at least'

    def _ring_faults(self):
        nodes = self.regions * self.nodes
        disks = nodes * self.devices
        if self.replicas > disks:
            yield (f'replicas = {self.replicas}: {nodes} nodes with {self.devices} devices '
                   f'each hold at most {disks}')
        if self.ec and disks < EC_FRAGMENTS:
            yield f'ec: its {EC_FRAGMENTS} fragments need as many devices; this lab has {disks}'

    @property
    def sites(self):
        """The names of the sites of the regions, in a tuple; () for a lab without sites."""
        return tuple(name.strip() for name in self.site.split(',')) if self.site else ()

    def site_of(self, region):
        """Return the name of the site of `region`, from 1; None in a lab without sites."""
        return self.sites[region - 1] if self.sites else None

    def suffix(self, region):
        """Return what names of servers end with of which a region has one: "-2" in region 2."""
        return f'-{region}' if self.regions > 1 else ''

    @property
    def device_names(self):
        """The names of the devices of each storage node: sd0, sd1 and on."""
        return tuple(f'sd{number}' for number in range(self.devices))

    @property
    def policies(self):
        """The storage policies: {index: (name, number of replicas or fragments)}."""
        policies = {0: ('gold', self.replicas)}
        if self.ec:
            policies[1] = ('ec21', EC_FRAGMENTS)
        if self.second_policy:
            policies[2] = ('silver', self.replicas)
        if self.regions > 1:
            count = min(self.replicas, self.nodes * self.devices)
            policies |= {REGION_POLICIES + region: (f'region{region}', count)
                         for region in range(1, self.regions + 1)}
        return policies
