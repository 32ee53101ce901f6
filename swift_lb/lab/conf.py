"""The text of the conf files of a lab's servers."""
import getpass
import os
import pwd

from swift_lb.conf_file import AGENT, CLUSTER, IMAGE, NAMES
from swift_lb.lab import network, sync

DISPATCHER, HANDICAP, SYNC = 'lb_dispatcher', 'lb_handicap', 'container_sync'
IMAGES = 'lb_image'
# A request that a proxy delegates takes none of its own slots: the handicap follows the dispatcher.
PROXY_PIPELINE = (f'catch_errors gatekeeper healthcheck lb_status proxy-logging {DISPATCHER} '
                  f'{HANDICAP} cache listing_formats {SYNC} bulk tempurl formpost s3api '
                  f'tempauth staticweb copy {IMAGES} slo dlo proxy-logging proxy-server')
MORE_FILTERS = ('bulk', 'tempurl', 'formpost', 's3api', 'staticweb')    # of LabSpec.filters
PROXY_FILTERS = tuple(dict.fromkeys(PROXY_PIPELINE.split()[:-1]))
STORAGE_PIPELINE = {
    'account': 'healthcheck recon account-server',
    'container': 'healthcheck recon container-server',
    # The report includes the handicap, which stands for the disk.
    'object': f'healthcheck recon lb_report {HANDICAP} object-server',
}
OURS = ('lb_status', DISPATCHER, IMAGES)  # filters that only a proxy with swift-lb's app has
REPORT = 'lb_report'
OF_THE_LAB = ('node', 'bind_ip', 'bind_port', 'http_ip', 'http_port', 'peers', 'key', 'proxy_conf',
              'instruction_file')     # options of an agent that only the lab may set
AGENT_OPTIONS = tuple(name for name in NAMES[AGENT] if name not in OF_THE_LAB)
OUR_EGG = 'swift-lb'
GATEWAYS = 2            # agents of each site to which summaries of clusters are sent
USER, KEY = 'test:tester', 'testing'
LABS_KEY = 'all labs have the same key'
ZONE = 'lb.lab.test'
NAME = f'swift.{ZONE}'


def render(sections):
    """Return the text of a conf file with `sections`, {section: {option: value}}."""
    return '\n'.join(f'[{name}]\n' + ''.join(f'{key} = {value}\n' for key, value in options.items())
                     for name, options in sections.items())


def swift_conf(spec):
    """Return swift.conf; its hash suffix is fixed, so all labs place an object alike."""
    sections = {'swift-hash': {
        'swift_hash_path_prefix': 'swift-lb', 'swift_hash_path_suffix': 'lab'}}
    for index, (name, _count) in spec.policies.items():
        sections[f'storage-policy:{index}'] = {'name': name}
    sections['storage-policy:0']['default'] = 'yes'
    if spec.ec:
        sections['storage-policy:1'] |= {
            'policy_type': 'erasure_coding', 'ec_type': 'liberasurecode_rs_vand',
            'ec_num_data_fragments': 2, 'ec_num_parity_fragments': 1}
    return render(sections)


def defaults(directory, server, log_level):
    """Return {option: value} of the section [DEFAULT] of the conf of a lab's Server `server`."""
    return {
        'swift_dir': directory / 'etc',
        'bind_ip': server.ip,
        'bind_port': server.port,
        'user': _user(),
        'log_name': server.name,
        'log_level': log_level,
        'log_udp_host': network.log_ip(server.ip.rpartition('.')[0]),
        'log_udp_port': server.log_port,
    }


def _user():
    """Return the name of the user that runs the lab, for Swift's option `user`."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return getpass.getuser()


def sync_conf(directory, server, spec):
    """Return the text of the conf of `server`, the container-sync of the container server there."""
    container = f'container{spec.suffix(server.region)}'
    return render(sync.daemon(defaults(directory, server, spec.log_level) | {
        'devices': directory / 'data' / container}, directory))


def storage_conf(directory, server, spec):
    """Return the text of the conf of `server`, an account, container or object server."""
    pipeline = [name for name in STORAGE_PIPELINE[server.kind].split()
                if name != REPORT or spec.reports]
    sections = {
        'DEFAULT': defaults(directory, server, spec.log_level) | {
            'workers': spec.object_workers if server.kind == 'object' else 0,
            'devices': directory / 'data' / server.name, 'mount_check': 'false',
            'disable_fallocate': 'true'},
        'pipeline:main': {'pipeline': ' '.join(pipeline)},
        f'app:{server.kind}-server': {'use': f'egg:swift#{server.kind}'},
        'filter:healthcheck': {'use': 'egg:swift#healthcheck'},
        'filter:recon': {'use': 'egg:swift#recon', 'recon_cache_path': directory / 'run'},
    }
    if REPORT in pipeline:
        sections[f'filter:{REPORT}'] = {'use': f'egg:swift-lb#{REPORT}'}
    if HANDICAP in pipeline:
        sections[f'filter:{HANDICAP}'] = {'use': _egg(HANDICAP), 'node': number_of(server),
                                          'rules': rules_path(directory, server.name)}
    return render(sections)


def proxy_conf(directory, server, spec, memcached):
    """Return the text of a proxy's conf; `memcached` is the ip:port of memcached, or None."""
    pipeline = proxy_pipeline(spec, bool(memcached))
    sections = {
        'DEFAULT': defaults(directory, server, spec.log_level) | {'workers': spec.workers},
        'pipeline:main': {'pipeline': ' '.join(pipeline)},
        'app:proxy-server': {'use': spec.app, 'account_autocreate': 'true',
                             'allow_account_management': 'true'},
    }
    if OUR_EGG in spec.app:     # each proxy acts as a host, with a book that the lab removes
        sections['app:proxy-server']['lb_book'] = book(directory, server)
    if spec.read_affinity:
        sections['app:proxy-server'] |= {'sorting_method': 'affinity',
                                         'read_affinity': f'r{server.region}=100'}
    for name in pipeline[:-1]:
        sections[f'filter:{name}'] = {'use': _egg(name), **_own(name, directory, server, spec)}
    if memcached:
        sections['filter:cache']['memcache_servers'] = memcached
        account, user = USER.split(':')
        sections['filter:tempauth'][f'user_{account}_{user}'] = f'{KEY} .admin'
    for option, value in spec.proxy_options.items():
        section, _colon, name = option.rpartition(':')
        if section.startswith('policy:'):
            section = f'proxy-server:{section}'
        sections.setdefault(section or 'app:proxy-server', {})[name] = value
    return render(sections)


def _own(name, directory, server, spec):
    """Return the options of the filter `name` that depend on its proxy: numbers and paths."""
    if name == DISPATCHER:
        return {'lb_conf': directory / 'etc' / f'agent-{number_of(server)}.conf',
                'book': book(directory, server)}
    if name == IMAGES:
        return {'socket': image_socket(directory, f'image-{number_of(server)}')}
    if name == HANDICAP:
        return {'proxy': number_of(server), 'rules': rules_path(directory, server.name)}
    if name == SYNC:
        return {'current': f'//{sync.REALM}/{sync.cluster_name(spec, server.region)}'}
    return {}


def image_socket(directory, name):
    """Return the path of the socket of the decoder of images with this name, such as image-1."""
    return directory / 'run' / f'{name}.sock'


def cache_folder(directory, name):
    """Return the path of the folder in which that decoder keeps results."""
    return directory / 'data' / name


def number_of(server):
    """Return the number at the end of the name of `server`, as text: "1" for proxy-1."""
    return server.name.rpartition('-')[2]


def rules_path(directory, name):
    """Return the path of the handicap file of server `name`, such as object-1; see rules.py."""
    return directory / 'etc' / f'handicap-{name}.json'


def daemon_conf(directory, server, spec, agents, proxies, sites=()):
    """Return the text of the lb-server.conf of `server`, an agent or a DNS service beside a proxy.

    `agents` are the IP addresses of all agents of its region, `proxies` the Servers of the proxies
    there, which DNS answers with; it is empty in a lab without DNS. `sites` are (site, its network)
    of all sites, for a lab in sites: then each is a cluster of that name.
    """
    number = number_of(server)
    sections = {
        'DEFAULT': {name: value for name, value in defaults(directory, server, 'INFO').items()
                    if not name.startswith('bind')},
        AGENT: {
            'node': f'proxy-{number}', 'bind_ip': server.ip, 'bind_port': network.REPORT_PORT,
            'http_ip': server.ip, 'http_port': network.AGENT_PORT, 'peers': ', '.join(agents),
            'key': LABS_KEY,
            'proxy_conf': directory / 'etc' / f'proxy-{number}.conf',
            'instruction_file': directory / 'run' / f'agent-{number}.json',
            **spec.agent_options}}
    if sites:
        sections[CLUSTER] = cluster_section(directory, server, spec, dict(sites))
    if spec.images:
        sections[IMAGE] = {
            'socket': image_socket(directory, f'image-{number}'),
            'cache_dir': cache_folder(directory, f'image-{number}'), 'bind_ip': server.ip,
            'peers': ', '.join(agents), **spec.image_options}
    if proxies:
        sections['lb-dns'] = {
            'zone': ZONE, 'names': NAME, 'bind_ip': server.ip, 'bind_port': network.DNS_PORT,
            'nsid': f'proxy-{number}',
            'ns': ', '.join(f'ns{other}.{ZONE}={ip}' for other, ip in enumerate(agents, 1)),
            'proxies': ', '.join(f'{proxy.name}={proxy.ip}' for proxy in proxies),
            'proxy_port': proxies[0].port, 'http_ip': server.ip,
            'http_port': network.DNS_HTTP_PORT, 'http_key': LABS_KEY}
    return render(sections)


def cluster_section(directory, server, spec, sites):
    """Return {option: value} of [lb-cluster] of an agent in a site.

    `sites` is {site: its network}. Clients may be redirected to each site's first proxy.
    """
    site = spec.site_of(server.region)
    addresses = {name: network.proxy_address(spec, sited, 1) for name, sited in sites.items()}
    return {
        'name': site, 'url': 'http://{}:{}'.format(*addresses[site]),
        'region': server.region if spec.regions > 1 else 0,
        'trust': ', '.join(ip for ip, _port in addresses.values()),
        'key': 'all sites have the same key', 'bind_ip': server.ip,
        'peers': ', '.join(f'{name}@{network.agent_ip(sited, number)}'
                           for name, sited in sites.items() for number in range(1, GATEWAYS + 1)),
        'clusters_file': directory / 'run' / f'clusters-{number_of(server)}.json'}


def book(directory, server):
    """Return the path of the book, the file in which a proxy's workers share measurements."""
    return directory / 'run' / f'{server.name}.book'


def books(directory, server):
    """Return the paths of the files in which a proxy and its dispatcher keep measurements."""
    shared = book(directory, server)
    return shared, shared.with_suffix('.dispatch')


def proxy_pipeline(spec, memcached):
    """Return the names in a proxy's pipeline; tempauth is there only if `memcached` is true.

    Without memcached tempauth would answer 503.
    """
    included = {DISPATCHER: spec.dispatch, IMAGES: spec.images, SYNC: spec.sync,
                HANDICAP: spec.handicap_proxies, 'cache': memcached, 'tempauth': memcached,
                **{name: name in spec.filters for name in MORE_FILTERS}}
    if OUR_EGG not in spec.app:
        included |= dict.fromkeys(OURS, False)
    return [name for name in PROXY_PIPELINE.split() if included.get(name, True)]


def _egg(name):
    if name in (*OURS, HANDICAP):
        return f'egg:{OUR_EGG}#{name}'
    return 'egg:swift#' + {'cache': 'memcache', 'proxy-logging': 'proxy_logging'}.get(name, name)
