"""What Cygnus' figures compare: servers, clients, balancers, and the options of their agents.

    uniform         all clients are closed loops without pauses (3.6)
    non-uniform     every second client pauses before a request, THINK times as long as a request
                    takes (3.7). With an even number of servers, to which clients are bound in turn,
                    every second server has only such clients
    wrong           uniform, with thresholds that are far too low (Figure 10), and the largest
                    number of clients, where the paper's lines differ

Servers have one CPU: one slot of a proxy, which serves a request in `mean` seconds. The paper gives
neither the CPU time of its clients' requests nor the thresholds of Figure 10. With THINK even 16
pausing clients, of 32 on two servers, leave their server idle for more than half of the time: they
use 16 / (40 + 1) of it at most. WRONG is a fifth of what a busy server serves.
"""
from typing import NamedTuple

from bench.dispatchers.balancers import Balancer
from bench.dispatchers.scenarios import CLOSED, LabScenario

SERVERS, CLIENTS = (2, 4, 8), (2, 8, 32)
MEAN, THINK, WRONG = 0.04, 40, 0.2
UNIFORM, NON_UNIFORM, WRONG_THRESHOLDS = KINDS = 'uniform', 'non-uniform', 'wrong'

A_CLIENT = Balancer('round robin a client')     # each client keeps its server: TAO's
A_REQUEST = Balancer('round_robin', 'round_robin')
LEAST_LOADED = Balancer('cygnus_least_loaded', 'cygnus_least_loaded')
# The same by the load that agents compute by default: not as in the paper; measured on request.
OUR_LOAD = Balancer('least_loaded of ours', 'cygnus_least_loaded')
ADAPTIVE = Balancer('adaptive', 'adaptive')
BALANCERS = (A_CLIENT, A_REQUEST, LEAST_LOADED, OUR_LOAD, ADAPTIVE)
USUAL = tuple(balancer.name for balancer in BALANCERS if balancer != OUR_LOAD)

OURS = {}       # agents with their defaults
# As in 3.3, 3.4 and 3.7. No node of ours exceeds the paper's thresholds of 25,000 and 35,000 events
# a second, so there are none.
PAPERS = {'metric': 'requests', 'interval': 3, 'dampening': 0.1}
CRITICAL = 35 / 25          # times the reject threshold: the paper's


class Case(NamedTuple):
    """A point of a figure of the paper: the kind of clients, and how many servers and clients."""

    kind: str
    servers: int
    clients: int

    def scenario(self, mean):
        """Return the LabScenario of the case, whose servers serve a request in `mean` seconds."""
        thinks = (0.0, THINK * mean) if self.kind == NON_UNIFORM else (0.0,)
        return LabScenario(self.kind, CLOSED, (mean,) * self.servers, self.servers, self.servers,
                           slots=1, thinks=thinks, together=self.clients)


class Group(NamedTuple):
    """Balancers that are measured in the same Cases on a lab with the same options of agents."""

    agents: dict        # LabSpec.agent_options
    balancers: tuple
    cases: tuple


def groups(servers, clients, kinds, names, mean):
    """Return the Groups for `servers` proxies, each number of `clients`, and balancers `names`."""
    cases = tuple(Case(kind, servers, many) for kind in kinds if kind != WRONG_THRESHOLDS
                  for many in clients)
    results = [Group(OURS, (A_CLIENT, A_REQUEST, OUR_LOAD, ADAPTIVE), cases),
               Group(PAPERS, (LEAST_LOADED,), cases)]
    if WRONG_THRESHOLDS in kinds:
        results.append(Group(wrong(mean), (A_CLIENT, LEAST_LOADED, ADAPTIVE),
                             (Case(WRONG_THRESHOLDS, servers, max(clients)),)))
    wanted = [group._replace(balancers=tuple(one for one in group.balancers if one.name in names))
              for group in results]
    return [group for group in wanted if group.cases and group.balancers]


def wrong(mean):
    """Return the options of agents that reject at WRONG / `mean` requests a second: too few."""
    reject = WRONG / mean
    return PAPERS | {'reject': f'{reject:g}', 'critical': f'{CRITICAL * reject:g}'}
