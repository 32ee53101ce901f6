"""The conf files of Swift's container-sync, by which labs keep containers alike.

A container is synced to another cluster of the realm by X-Container-Sync-To
//swift-lb/CLUSTER/ACCOUNT/CONTAINER and an X-Container-Sync-Key, the same in both containers.
"""
from swift_lb.lab import network

REALM = 'swift-lb'
INTERVAL = 1            # seconds between two scans; Swift's default is 300
REALMS, CLIENT = 'container-sync-realms.conf', 'internal-client.conf'   # in etc/ of the lab
KEY = 'the realm of all labs has one key'


def cluster_name(spec, region):
    """Return the name in the realm of `region` of a lab: its site, or without sites the lab."""
    return spec.site_of(region) or spec.name


def realms(spec, networks):
    """Return the sections of the file of realms; `networks` are (cluster, three octets) of all.

    The proxies of all labs are taken to have the ports of this one, the LabSpec `spec`.
    """
    clusters = {}
    for cluster, octets in networks:
        ip, port = network.proxy_address(spec, octets, 1)
        clusters[f'cluster_{cluster}'] = f'http://{ip}:{port}/v1/'
    return {REALM: {'key': KEY, **clusters}}


def daemon(defaults, directory):
    """Return the sections of the conf of the daemon, whose container server has `defaults`.

    `defaults` are the options of its [DEFAULT], with the path of its `devices`.
    """
    return {'DEFAULT': defaults, 'container-sync': {
        'interval': INTERVAL, 'mount_check': 'false',
        'internal_client_conf_path': directory / 'etc' / CLIENT}}


def client(directory):
    """Return the sections of the conf by which the daemon reads the objects of its own cluster."""
    return {
        'DEFAULT': {'swift_dir': directory / 'etc'},
        'pipeline:main': {'pipeline': 'catch_errors proxy-server'},
        'filter:catch_errors': {'use': 'egg:swift#catch_errors'},
        'app:proxy-server': {'use': 'egg:swift#proxy'},
    }
