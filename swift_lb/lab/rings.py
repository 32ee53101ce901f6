"""The rings of a lab, built by Swift's RingBuilder in this process, which saves its start-up time.
"""
import warnings

from swift_lb.lab.network import ACCOUNT_PORT, CONTAINER_PORT, OBJECT_PORT, node_ip

SERVICE_DEVICES = 3  # account and container databases have three replicas, on one server each
SEED = 1             # fixed, so that the same spec gives the same rings


def write_rings(directory, spec, network):
    """Write account, container and object rings of `spec` into `directory`."""
    for kind, port in (('account', ACCOUNT_PORT), ('container', CONTAINER_PORT)):
        disks = [(1, f'{network}.2', f'sd{number}') for number in range(SERVICE_DEVICES)]
        _ring(directory / f'{kind}.ring.gz', spec.part_power, SERVICE_DEVICES, port, disks)
    disks = [(node, node_ip(network, node), device)
             for node in range(1, spec.nodes + 1) for device in spec.device_names]
    for index, (_name, count) in spec.policies.items():
        name = f'object-{index}' if index else 'object'
        _ring(directory / f'{name}.ring.gz', spec.part_power, count, OBJECT_PORT, disks)


def _builder(part_power, replicas):
    """Return a RingBuilder; import it late and without the deprecation warning of eventlet."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        from swift.common.ring import RingBuilder
    return RingBuilder(part_power, replicas, 0)


def _ring(path, part_power, replicas, port, disks):
    builder = _builder(part_power, replicas)
    for number, (zone, ip, device) in enumerate(disks):
        builder.add_dev({'id': number, 'region': 1, 'zone': zone, 'weight': 100, 'device': device,
                         'ip': ip, 'port': port, 'replication_ip': ip, 'replication_port': port,
                         'meta': ''})
    builder.rebalance(seed=SEED)
    builder.get_ring().save(str(path))
