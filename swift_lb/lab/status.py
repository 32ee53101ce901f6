"""What `swift-lb lab status` shows of a lab: collected as a dict, then printed as tables."""
import math

from rich.console import Console
from rich.table import Table

from swift_lb.lab import conf, process
from swift_lb.lab.network import V1
from swift_lb.lab.nodes import COUNTS


def gather(lab):
    """Return the status of `lab` as a dict for JSON: processes, nodes, proxies; memory in bytes."""
    return {
        'name': lab.spec.name, 'directory': str(lab.directory), 'endpoints': lab.endpoints,
        'storage_url': lab.storage_url(),
        'auth': {'user': conf.USER, 'key': conf.KEY} if lab.memcached else None,
        'processes': [_process(one, lab.directory) for one in lab.processes.values()],
        'nodes': [*_nodes(lab)], 'proxies': [*_proxies(lab)],
    }


def _process(one, directory):
    members = process.members(directory, [one])
    return {'name': one.name, 'pid': one.pid, 'address': one.address, 'alive': one.alive,
            'memory': process.memory(members)}


def _nodes(lab):
    served, capacity = lab.served(), lab.nodes.capacity()
    for node, document in lab.nodes.rules().items():
        yield {'node': node, 'profile': document['profile'], 'seed': document['seed'],
               'capacity': _finite(capacity[node]), 'rule': document['node'],
               'devices': {device: {'rule': document['devices'].get(device, {}),
                                    'counts': served.get((node, device))}
                           for device in lab.spec.device_names}}


def _proxies(lab):
    counts, capacity = lab.served_by_proxies(), lab.proxies.capacity()
    for proxy, document in lab.proxies.rules().items():
        yield {'proxy': proxy, 'seed': document['seed'], 'capacity': _finite(capacity[proxy]),
               'rule': document['node'], 'counts': counts.get(proxy)}


def _finite(limit):
    return None if math.isinf(limit) else limit


def show(document, console=None):
    """Print `document`, the dict that gather() returns, as tables on the rich `console`."""
    console = console or Console()
    console.print(f'lab {document["name"]}: {document["storage_url"]}', soft_wrap=True,
                  highlight=False)
    if document['auth']:
        console.print(f'user {conf.USER}, key {conf.KEY}: {document["endpoints"][0]}/auth/v1.0',
                      soft_wrap=True, highlight=False)
    console.print(f'logs: {document["directory"]}/log', soft_wrap=True, highlight=False)
    console.print(_process_table(document['processes']))
    for line in _handicaps(document):
        console.print(line, soft_wrap=True, highlight=False)
    console.print(_device_table(document['nodes']))
    if document['proxies']:
        console.print(_proxy_table(document['proxies']))


def _process_table(processes):
    table = Table('process', 'pid', 'address', 'is', box=None)
    table.add_column('memory', justify='right')
    for one in processes:
        table.add_row(one['name'], str(one['pid']), one['address'],
                      'up' if one['alive'] else '[red]down[/]',
                      show_size(one['memory']) if one['memory'] else '')
    return table


def _device_table(nodes):
    table = _counts_table('node', 'device')
    for node in nodes:
        for device, one in node['devices'].items():
            table.add_row(str(node['node']), device, *_counted(one))
    return table


def _proxy_table(proxies):
    table = _counts_table('proxy', V1)
    for proxy in proxies:
        table.add_row(str(proxy['proxy']), '', *_counted(proxy))
    return table


def _counts_table(*columns):
    table = Table(*columns, box=None)
    for name in COUNTS:
        table.add_column(name.replace('_', ' '), justify='right')
    return table


def _counted(one):
    counts = one['counts'] or dict.fromkeys(COUNTS, '-')
    return [str(counts[name]) for name in COUNTS]


def _handicaps(document):
    for node in document['nodes']:
        rules = [_rule_text(node['rule']), *(_rule_text(one['rule'], f'{device}: ')
                                        for device, one in node['devices'].items())]
        origin = f' (profile {node["profile"]})' if node['profile'] else ''
        yield f'node {node["node"]}: {_handicap_text(rules, node)}{origin}'
    for proxy in document['proxies']:
        yield f'proxy {proxy["proxy"]}: {_handicap_text([_rule_text(proxy["rule"])], proxy)}'


def _handicap_text(rules, one):
    limit = f' = {one["capacity"]:.1f} requests/s' if one['capacity'] else ''
    return ('; '.join(filter(None, rules)) or 'no handicap') + limit


def _rule_text(rule, lead=''):
    return rule and lead + ' '.join(f'{name}={value}' for name, value in rule.items())


def show_size(value):
    """Return `value`, a size in bytes, as text with a binary unit, such as 1.5 MiB."""
    for unit in ('B', 'KiB', 'MiB'):
        if value < 1024:
            return f'{value:.4g} {unit}'
        value /= 1024
    return f'{value:.4g} GiB'
