"""A real proxy application in front of ScriptedNodes."""
from operator import itemgetter

from support.proxy_app import application, policy_of, request, swift_dir
from support.scripted_node import LONGEST, ScriptedNode
from support.stored_object import fragments
from swift_lb.clock import monotonic
from swift_lb.concurrency import sleep
from swift_lb.model import UNKNOWN_LOAD, Node

# Swift gives a node half a second to accept a connection: a machine may pause for longer.
PATIENT = {'conn_timeout': str(LONGEST), 'node_timeout': str(LONGEST)}


class ScriptedCluster:
    """ScriptedNodes, rings that hold every object on each of them, and a proxy with long timeouts.

    `nodes` are ScriptedNodes, or scripts for new ones on devices sd1, sd2, ... The proxy is
    swift-lb's if `ours`, and tries the nodes in that order unless `conf`, proxy options, has an
    lb_policy; else it is Swift's.
    """

    def __init__(self, directory, *nodes, ours=True, replicas=None, **conf):
        self.nodes = [node if isinstance(node, ScriptedNode)
                      else ScriptedNode(node, device=f'sd{number}')
                      for number, node in enumerate(nodes, 1)]
        rings = swift_dir(directory, [key_of(node) for node in self.nodes], replicas)
        if ours:
            conf = {**in_turn(self.nodes), **conf}
        self.app = application(rings, ours, **PATIENT | conf)

    def close(self):
        for node in self.nodes:
            node.close()

    def hold_fragments(self, body, **how):
        """Have three nodes serve the fragments of `body` in storage policy 1; return this cluster.

        `how` are fields of their NodeAnswers.
        """
        for node, script in zip(self.nodes, fragments(body, policy_of(1), **how), strict=True):
            node.script = script
        return self

    def primaries(self):
        """Return the node dicts of the primaries of /a/c/o, sorted by device."""
        ring = self.app.get_object_ring(0)
        return sorted(ring.get_nodes('a', 'c', 'o')[1], key=itemgetter('device'))

    def handoffs(self):
        """Return the node dicts of the handoffs of /a/c/o, in the order of the ring."""
        ring = self.app.get_object_ring(0)
        return [*ring.get_more_nodes(ring.get_nodes('a', 'c', 'o')[0])]

    def number_of(self, node):
        """Return the position in `nodes`, from 1, of the node with the ring's dict `node`."""
        return [each.device for each in self.nodes].index(node['device']) + 1

    def error_limit(self, number):
        """Have Swift skip primary `number`, counted from 1 in the order of primaries()."""
        self.app.error_limit(self.primaries()[number - 1], 'for the test')

    def open(self, path='/v1/a/c/o', method='GET', policy=0, **headers):
        """Return the swob Response of the proxy to a request, its body not yet read."""
        return request(path, method, policy, **headers).get_response(self.app)

    def ask(self, *args, **kwargs):
        """Return (status, body), int and bytes, of the response that open() returns."""
        response = self.open(*args, **kwargs)
        return response.status_int, response.body

    def load(self, number):
        """Return the NodeLoad in the proxy's book of the node at position `number`, from 1."""
        key = key_of(self.nodes[number - 1])
        return self.app.replicas.book.snapshot().loads.get(key, UNKNOWN_LOAD)

    def counts(self):
        """Return [(chunks, successes, errors, timeouts, in_flight)] of all nodes, in order."""
        loads = [self.load(number + 1) for number in range(len(self.nodes))]
        return [(load.chunks, load.successes, load.errors, load.timeouts, load.in_flight)
                for load in loads]

    def asked(self, *methods):
        """Return a list: how many requests each node got, of any method or only of `methods`."""
        return [node.count(*methods) for node in self.nodes]


def key_of(node):
    """Return the Node (ip, port, device) of a ScriptedNode."""
    return Node(node.ip, node.port, node.device)


def in_turn(nodes):
    """Return proxy options with which `nodes` are tried in this order, except once in 10^12."""
    weights = ((str(key_of(node)), 1e12 ** -place) for place, node in enumerate(nodes))
    return {'lb_policy': 'weighted',
            'lb_weights': ', '.join(f'{name}={weight:g}' for name, weight in weights)}


def settles(condition):
    """Let greenthreads run until `condition()` is true, LONGEST s at most; return its value."""
    until = monotonic() + LONGEST
    while not condition() and monotonic() < until:
        sleep(0.01)
    return condition()
