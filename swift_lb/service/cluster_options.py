"""The options of [lb-cluster]: the name of this cluster, and the agents of the other clusters.

A host without this section belongs to no group of clusters.
"""
from dataclasses import dataclass
from functools import cached_property

from swift_lb.authorities import authorities
from swift_lb.conf_file import (
    CLUSTER,
    CLUSTER_PORT,
    CLUSTERS_FILE,
    is_swifts,
    relay_texts,
    trusted_hosts,
)
from swift_lb.config import (
    NO_OPTIONS,
    InvalidError,
    each,
    host_port,
    matching,
    option,
    options_of,
    parse_section,
    shared_key,
    whole,
    within,
    words,
)
from swift_lb.plan.groups import groups, is_in
from swift_lb.wire import cluster_summary
from swift_lb.wire.cluster_summary import MAX_INTERVAL, MAX_REGION, MIN_INTERVAL, URL
from swift_lb.wire.node_report import NAME

_dotted = matching(cluster_summary.CLUSTER,
                   'a dotted path of a-z, 0-9 and -, such as us.central.ksu')
URL_RULE = ('http:// or https://, the name or IPv4 address of a host in small letters, perhaps a '
            'port, and a path of letters, digits, ".", "_", "~" and "-", at most 200 characters')
_short = matching(NAME, 'at most 63 characters')     # it also stands in wire/hop.py


def name_of(text):
    """Return the name of a cluster in `text`; raises InvalidError if it is none."""
    return _short(_dotted(text))


def peer(word):
    """Return (cluster, host, port) of the text CLUSTER@HOST[:PORT]; raises InvalidError."""
    cluster, separator, address = word.partition('@')
    if not separator:
        raise InvalidError('must be CLUSTER@HOST or CLUSTER@HOST:PORT')
    return name_of(cluster), *host_port(address, CLUSTER_PORT)


def peers(text):
    """Return ((cluster, host, port), ...); raises InvalidError with a sentence per wrong one."""
    return tuple(each(peer, words(text)))


@dataclass(frozen=True)
class ClusterOptions:
    """The options of a host's cluster; `etc/lb-server.conf-sample` explains each of them."""

    name: str = option('', name_of, '', 'the name of this cluster')
    url: str = option('', matching(URL, URL_RULE), '', 'where clients reach it')
    region: int = option(0, whole(0, MAX_REGION - 1), '', 'its number in the rings of one Swift')
    bind_ip: str = option('0.0.0.0', str, '', 'address that receives summaries')
    bind_port: int = option(CLUSTER_PORT, whole(1, 65535), '', 'UDP port that receives summaries')
    peers: tuple = option((), peers, '', 'agents of all clusters')
    key: str = option('', shared_key, '', 'secret that signs summaries and requests')
    key2: str = option('', shared_key, '', 'second secret that is accepted while keys change')
    trust: tuple = option((), trusted_hosts, '', 'hosts to which clients may be redirected')
    relays: tuple = option((), relay_texts, '', 'where other clusters reach the proxies')
    ca_file: str = option('', authorities, '', 'authorities of the certificates of others')
    interval: float = option(2.0, within(MIN_INTERVAL, MAX_INTERVAL), 'seconds',
                             'time between summaries')
    clusters_file: str = option(CLUSTERS_FILE, str, '', 'where the summaries are written')

    @cached_property
    def keys(self):
        """The keys, bytes, that verify summaries, as a tuple; the first one signs."""
        return tuple(key.encode() for key in (self.key, self.key2) if key)

    @cached_property
    def clusters(self):
        """The names of the other clusters in `peers`, each once, as a tuple."""
        return tuple(dict.fromkeys(cluster for cluster, _host, _port in self.peers
                                   if cluster != self.name))

    @cached_property
    def groups(self):
        """The Groups of this cluster and of those in `peers`."""
        return groups(self.name, self.clusters)

    @cached_property
    def others(self):
        """The names of the other clusters and groups whose summaries come here, as a tuple."""
        return tuple(dict.fromkeys(self.groups.known.values()))


OPTIONS = options_of(ClusterOptions)


def cluster_options(section, path, faults, agent=NO_OPTIONS):
    """Return the ClusterOptions of [lb-cluster], {option: text}, None for None.

    Appends a sentence for each fault, which names the file `path`, to `faults`. `agent` are the
    parsed options of [lb-agent]: its bind_ip holds here, too, and its key must be another.
    """
    if section is None:
        return None
    where = f'{path}, [{CLUSTER}]'
    before = len(faults)
    values = parse_section(section, OPTIONS, where, faults, is_ignored=is_swifts,
                           show_unknown=False)
    required = {'name': 'must be set: the dotted path of this cluster, such as us.central.ksu',
                'key': 'must be set, the same in all clusters: summaries are signed with it'}
    faults += [f'{where}, {name}: {sentence}' for name, sentence in required.items()
               if not values.get(name) and name not in section]
    faults += nested(values, where)
    if agent.get('key') and agent['key'] in (values.get('key'), values.get('key2')):
        faults.append(f'{where}, key: must be another than that of [lb-agent]: other clusters have '
                      'this one')
    if agent.get('bind_ip'):
        values.setdefault('bind_ip', agent['bind_ip'])
    return ClusterOptions(**values) if len(faults) == before else None


def nested(values, where):
    """Return a list with a sentence for each cluster whose name is also that of a group.

    `values` are the options of [lb-cluster], `where` names file and section.
    """
    names = {values.get('name', ''), *(peer[0] for peer in values.get('peers', ()))} - {''}
    return [f'{where}, peers: {name} is a cluster, so {other} cannot be in a group of that name'
            for name in sorted(names) for other in sorted(names)
            if other != name and is_in(other, name)]
