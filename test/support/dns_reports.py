"""Build the reports of DNS processes (service/dns/worker.py) and the document made of them."""
import json
import os

from swift_lb.model import NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.service.dns.document import document
from swift_lb.service.dns.options import dns_options
from swift_lb.service.dns.reach import Reach
from swift_lb.service.dns.tally import DnsTally, Recent

PLACE = os.path.join(os.sep, 'nowhere', 'instruction.json')
CONF = {'node': 'n1', 'zone': 'lb.example.com', 'names': '@, *.s3.lb.example.com',
        'ns': 'ns1.lb.example.com=192.0.2.1',
        'proxies': 'n1=192.0.2.1, n1=2001:db8::1, n2=192.0.2.2, n3=192.0.2.3',
        'instruction_file': PLACE}
TARGET = {'mode': 'membership', 'size': 2, 'panic': False,
          'shares': {'n1': 0.5, 'n2': 0.5}, 'left_out': {'n3': 'late'},
          'chances': {'n1': 1.0, 'n2': 1.0}}

STATES = {'n1': 'up', 'n2': 'up', 'n3': 'late'}
INSTRUCTION = make_instruction(77, 9.0, 'balanced', False, tuple(
    NodeInstruction(node, '', state, 0.5, 1.0, 0.5, 1.0, 0.0)
    for node, state in STATES.items()), 'digest')


def options(**more):
    """Return DnsOptions with proxies on three nodes; `more` are options as [lb-dns] has them."""
    return dns_options(CONF | more)


def process_report(worker='udp0', pid=100, **more):
    """Return the report of a DNS process, a dict; `more` are fields that replace its own."""
    return {'worker': worker, 'pid': pid, 'faults': 0, 'fault': None,
            'queries': [['A', 'answer', 10]],
            'given': [['A', 'n1', 10, 10.0], ['A', 'n2', 10, 10.0]],
            'resolvers': 4, 'serial': 77, 'ttl': 30, 'instruction': None,
            'targets': {'A': TARGET, 'AAAA': TARGET | {
                'size': 1, 'shares': {'n1': 1.0}, 'left_out': {}, 'chances': {'n1': 1.0}}}} | more


def datagram(*args, **more):
    """Return process_report() as the bytes of a datagram."""
    return json.dumps(process_report(*args, **more)).encode()


def document_of(*datagrams, instruction=INSTRUCTION, now=1.0, reached=None, **more):
    """Return the document of /v1/dns, parsed from JSON, after the service got `datagrams`.

    `reached`: {(node, address): why it is not reached, or None}; `more`: options of [lb-dns].
    """
    tally, configured = DnsTally(), options(**more)
    for one in datagrams:
        tally.receive(one, 0.0)
    reach = Reach(configured.proxies, configured.proxy_port)
    reach._faults.update(reached or {})
    return json.loads(json.dumps(document(configured, tally, Recent(), reach,
                                          instruction, now)))


BOTH = (datagram('udp0', 1), datagram('tcp', 2, queries=[
    ['other', 'slipped', 3], ['other', 'dropped', 2], ['A', 'answer', 1]], given=[], faults=5,
    fault='OSError(28)', resolvers=2))
