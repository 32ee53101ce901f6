"""The table's columns: the speed of the proxies, and the load on them.

A proxy of the lab has SLOTS slots, each of which serves a request in the paper's time, always the
same: the paper's requests are calculations that share nothing but processors. Its servers have 8
processors. With 8 slots the fast mix could serve 215 requests a second, but two cores manage only
some 200 that make a hop each. So all proxies have fewer slots, which changes neither shares nor
percentages of MAX, and a policy that delegates much does not lack CPU.

CLIENTS: the paper does not say how many clients JMeter had. Its round robins have four times the
throughput of its slow server, so requests were always waiting at the slow one: there were more
clients than processors. Here there are two for each slot. A balancer that knows where its requests
are can keep all slots busy with them. With the others the clients soon gather at the slow proxies:

    seconds = (CLIENTS - 1) / (1 / fast - mean(1 / time))       until the fast one is sometimes idle

This is 2 s for G0 and 6 s for G4, so the warm-up of G4 is longer.
"""
from bench.catalogue.paper import MIXES, SIZES, TIMES
from bench.dispatchers.scenarios import CLOSED, TURNS, LabScenario

SLOTS = 4
CLIENTS = 2         # for each slot
LONGER = {'G4': 2}  # times the warm-up


def columns(slots=SLOTS, clients=CLIENTS):
    """Return {(mix of servers, kind of request): LabScenario}, the longest requests last."""
    return {(mix, kind): LabScenario(f'{mix}, {kind}', TURNS,
                                     tuple(times[server] for server in servers), len(servers),
                                     len(servers), clients * slots, slots, SIZES[kind], 'constant')
            for kind, times in TIMES.items() for mix, servers in MIXES.items()}


def warm(column, seconds):
    """Return the seconds of warm-up of `column`, (mix, kind): `seconds`, for G4 twice as many."""
    return seconds * LONGER.get(column[1], 1)


def maximum(scenario):
    """Return `scenario` with each client bound to one proxy, so that all slots are busy."""
    return scenario._replace(load=CLOSED)
