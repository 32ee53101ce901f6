"""What `lab status` says: gathered as plain data, then shown."""
import math

from rich.console import Console
from rich.table import Table

from swift_lb.lab import conf, process, quantity
from swift_lb.lab.nodes import COUNTS


def gather(lab):
    """Return all that is known of `lab` as a dict for JSON; memory in bytes, times in seconds."""
    return {
        'name': lab.spec.name, 'directory': str(lab.directory), 'endpoints': lab.endpoints,
        'storage_url': lab.storage_url(),
        'auth': {'user': conf.USER, 'key': conf.KEY} if lab.memcached else None,
        'processes': [_process(one, lab.directory) for one in lab.processes.values()],
        'nodes': [*_nodes(lab)],
    }


def _process(one, directory):
    members = process.members(directory, [one])
    return {'name': one.name, 'pid': one.pid, 'address': one.address, 'alive': one.alive,
            'memory': process.memory(members)}


def _nodes(lab):
    served, capacity = lab.served(), lab.nodes.capacity()
    for node, document in lab.nodes.rules().items():
        limit = capacity[node]
        yield {'node': node, 'profile': document['profile'], 'seed': document['seed'],
               'capacity': None if math.isinf(limit) else limit, 'rule': document['node'],
               'devices': {device: {'rule': document['devices'].get(device, {}),
                                    'counts': served.get((node, device))}
                           for device in lab.spec.device_names}}


def show(found, console=None):
    """Print the dict `found` of gather() as two tables."""
    console = console or Console()
    console.print(f'lab {found["name"]}: {found["storage_url"]}', soft_wrap=True, highlight=False)
    if found['auth']:
        console.print(f'user {conf.USER}, key {conf.KEY}: {found["endpoints"][0]}/auth/v1.0',
                      soft_wrap=True, highlight=False)
    console.print(f'logs: {found["directory"]}/log', soft_wrap=True, highlight=False)
    console.print(_process_table(found['processes']))
    for line in _handicaps(found['nodes']):
        console.print(line, soft_wrap=True, highlight=False)
    console.print(_device_table(found['nodes']))


def _process_table(processes):
    table = Table('process', 'pid', 'address', 'is', box=None)
    table.add_column('memory', justify='right')
    for one in processes:
        table.add_row(one['name'], str(one['pid']), one['address'],
                      'up' if one['alive'] else '[red]down[/]',
                      quantity.show_size(one['memory']) if one['memory'] else '')
    return table


def _device_table(nodes):
    table = Table('node', 'device', box=None)
    for name in COUNTS:
        table.add_column(name.replace('_', ' '), justify='right')
    for node in nodes:
        for device, one in node['devices'].items():
            counts = one['counts'] or dict.fromkeys(COUNTS, '-')
            table.add_row(str(node['node']), device, *(str(counts[name]) for name in COUNTS))
    return table


def _handicaps(nodes):
    for node in nodes:
        rules = [_said(node['rule']), *(_said(one['rule'], f'{device}: ')
                                        for device, one in node['devices'].items())]
        told = '; '.join(filter(None, rules)) or 'no handicap'
        limit = f' = {node["capacity"]:.1f} requests/s' if node['capacity'] else ''
        origin = f' (profile {node["profile"]})' if node['profile'] else ''
        yield f'node {node["node"]}: {told}{limit}{origin}'


def _said(rule, lead=''):
    return rule and lead + ' '.join(f'{name}={value}' for name, value in rule.items())
