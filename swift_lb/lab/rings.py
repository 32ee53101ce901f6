"""The rings of a lab: every region has replicas, but of a policy `regionN` only region N has."""
import warnings

from swift_lb.lab.build import SERVICE_DEVICES, servers
from swift_lb.lab.network import NODE
from swift_lb.lab.spec import REGION_POLICIES

SERVICE_REPLICAS = 3    # of account and container databases, as many as a server has devices
SEED = 1                # fixed, so that the same spec gives the same rings


def write_rings(directory, state):
    """Write the lab's rings. The log sink needs none: it starts between write_files() and this."""
    etc, spec = directory / 'etc', state.spec
    for kind in ('account', 'container'):
        write_ring(etc / f'{kind}.ring.gz', spec.part_power, SERVICE_REPLICAS, [
            (server, 1, device) for server in servers(state, kind) for device in SERVICE_DEVICES])
    devices = [(server, zone, device) for zone, server in enumerate(servers(state, NODE.server), 1)
               for device in spec.device_names]
    for index, (_name, count) in spec.policies.items():
        name = f'object-{index}' if index else 'object'
        write_ring(etc / f'{name}.ring.gz', spec.part_power, count,
              [one for one in devices if one[0].region == index - REGION_POLICIES]
              if index > REGION_POLICIES else devices)


def write_ring(path, part_power, replicas, devices):
    """Write a ring of `devices`, [(Server, zone, name of the device)], to `path`."""
    with warnings.catch_warnings():     # of eventlet's deprecation
        warnings.simplefilter('ignore')
        from swift.common.ring import RingBuilder
    builder = RingBuilder(part_power, replicas, 0)
    for number, (server, zone, device) in enumerate(devices):
        builder.add_dev({'id': number, 'region': server.region, 'zone': zone, 'weight': 100,
                         'device': device, 'ip': server.ip, 'port': server.port,
                         'replication_ip': server.ip, 'replication_port': server.port, 'meta': ''})
    builder.rebalance(seed=SEED)
    builder.get_ring().save(str(path))
