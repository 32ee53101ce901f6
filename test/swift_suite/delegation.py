"""A run of Swift's tests that delegates every request to a peer, which is the same server.

The proxy gets the dispatcher with a weight of 0 for this node, and right of it a filter that counts
the requests of peers and of clients. The Instruction has two nodes with one address, this one and
its peer, and is written when the server listens, as its port is not known before.
"""

import os
import re
from collections import Counter
from functools import partial

from swift_suite.place import CannotRunError

APP = 'delegated'  # the name of such a run
PEER, CLIENT = 'peer', 'client'  # the sender of a request
VARIABLE = 'SWIFT_SUITE_INSTRUCTION'  # the path to write the Instruction to
VALID_FOR = 1e6  # seconds
CLIENT_TIMEOUT = 4  # seconds, as Swift's tests set
DISPATCHER = """
[filter:lb_dispatcher]
use = egg:swift-lb#lb_dispatcher
policy = weighted_round_robin
weights = here=0
lb_conf = {where}/lb-server.conf
book = {where}/proxy.book

[filter:lb_witness]
paste.filter_factory = swift_suite.delegation:witness_factory
"""
AGENT = """[lb-agent]
node = here
key = a key that only this test has
instruction_file = {instruction}
"""
served = Counter()  # {PEER or CLIENT: requests} since the last test


def delegating(conf, where):
    """Return `conf`, text, with the dispatcher in it; write lb-server.conf to folder `where`."""
    first_log = re.compile(r'^(pipeline = .*? proxy-logging) ', re.MULTILINE)
    conf, pipelines = first_log.subn(r'\1 lb_dispatcher lb_witness ', conf)
    if pipelines != 1:
        raise CannotRunError(f"Swift's sample conf has {pipelines} pipelines with proxy-logging")
    (where / 'lb-server.conf').write_text(AGENT.format(instruction=instruction(where)))
    return conf + DISPATCHER.format(where=where)


def instruction(where):
    """Return the path of the Instruction of a run with the scratch directory `where`."""
    return where / 'lb-instruction.json'


def delegate_all():
    """Have Swift's functional tests write the Instruction when they have started a server."""
    import test.functional as functional

    start = functional.in_process_setup

    def started(*args, **kwargs):
        start(*args, **kwargs)
        write('{}:{}'.format(*functional.proxy_srv.getsockname()[:2]))

    functional.in_process_setup = started
    # Swift's own servers have a timeout, those of its tests have none: a hop would wait forever for
    # a client that has stopped sending.
    server = functional.eventlet.wsgi.server
    functional.eventlet.wsgi.server = partial(server, socket_timeout=CLIENT_TIMEOUT)


def write(address):
    """Write an Instruction with two nodes whose proxies are both at `address`, 'IP:PORT'."""
    from swift_lb import clock, instruction_file
    from swift_lb.model import UP, NodeInstruction
    from swift_lb.plan.decision import make_instruction

    nodes = tuple(NodeInstruction(node, address, UP, 0.5, 1.0, 0.5, 0.0, 0.5)
                  for node in ('here', 'there'))
    instruction_file.write(
        os.environ[VARIABLE],
        make_instruction(1, clock.monotonic() + VALID_FOR, 'test', False, nodes, address),
    )


def witness_factory(global_conf, **local_conf):
    """Return the factory of the filter that counts requests of peers and of clients."""
    return Witness


class Witness:
    """A WSGI filter right of the dispatcher: counts, in `served`, the requests that reach it."""

    def __init__(self, app):
        self.app = app

    def __call__(self, env, start_response):
        """Count a request as a peer's or as a client's, and pass it on."""
        served[PEER if 'swift_lb.hop' in env else CLIENT] += 1
        return self.app(env, start_response)
