"""A real proxy application in front of scripted nodes."""
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
    """Nodes by script, the rings that hold every object on all of them, and a patient proxy.

    `nodes` are ScriptedNodes, or scripts to make them of, devices sd1, sd2, ... The proxy tries the
    nodes in that order, by static weights, unless `conf` names another lb_policy.
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
        """Have three nodes serve the fragments of `body` in storage policy 1; return the cluster.

        `how` are fields of their Answers.
        """
        for node, script in zip(self.nodes, fragments(body, policy_of(1), **how), strict=True):
            node.script = script
        return self

    def primaries(self):
        """Return the ring's node dicts of the object, those of its primaries, by device."""
        ring = self.app.get_object_ring(0)
        return sorted(ring.get_nodes('a', 'c', 'o')[1], key=itemgetter('device'))

    def handoffs(self):
        """Return the node dicts of the object's handoffs, in the order of the ring."""
        ring = self.app.get_object_ring(0)
        return [*ring.get_more_nodes(ring.get_nodes('a', 'c', 'o')[0])]

    def number_of(self, node):
        """Return the number, from 1, of a node dict."""
        return [each.device for each in self.nodes].index(node['device']) + 1

    def error_limit(self, number):
        """Have Swift skip primary `number`, counted from 1 in the order of primaries()."""
        self.app.error_limit(self.primaries()[number - 1], 'for the test')

    def open(self, path='/v1/a/c/o', method='GET', policy=0, **headers):
        """Return the swob Response to a request, its body not yet read."""
        return request(path, method, policy, **headers).get_response(self.app)

    def ask(self, *args, **kwargs):
        """Return (status, body) of a request."""
        response = self.open(*args, **kwargs)
        return response.status_int, response.body

    def load(self, number):
        """Return what the proxy has measured of the node numbered `number`, from 1."""
        key = key_of(self.nodes[number - 1])
        return self.app.replicas.book.snapshot().loads.get(key, UNKNOWN_LOAD)

    def counts(self):
        """Return (chunks, successes, errors, timeouts, in_flight) of every node."""
        loads = [self.load(number + 1) for number in range(len(self.nodes))]
        return [(load.chunks, load.successes, load.errors, load.timeouts, load.in_flight)
                for load in loads]

    def asked(self, *methods):
        """Return how often each node was asked with one of `methods`, or at all."""
        return [node.count(*methods) for node in self.nodes]


def key_of(node):
    """Return the Node by which the ring lists a ScriptedNode."""
    return Node(node.ip, node.port, node.device)


def in_turn(nodes):
    """Return proxy options with which `nodes` are tried in this order, except once in 10^12."""
    weights = ((str(key_of(node)), 1e12 ** -place) for place, node in enumerate(nodes))
    return {'lb_policy': 'weighted',
            'lb_weights': ', '.join(f'{name}={weight:g}' for name, weight in weights)}


def settles(condition):
    """Let greenthreads run until `condition()` holds; return whether it held within LONGEST s."""
    until = monotonic() + LONGEST
    while not condition() and monotonic() < until:
        sleep(0.01)
    return condition()
