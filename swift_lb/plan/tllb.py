"""`tllb`: Two-Level Load Balancing, as its authors have published it. Pure.

Equation 1, of DNS               L = (alpha net + beta cpu + gamma mem) / (alpha + beta + gamma)
Equation 2, of the dispatchers   L = (beta cpu + gamma mem) / (beta + gamma)
Equation 3, overloaded           L / L_min > rho

    net, cpu, mem   per cent in use; L_min is the least L of all nodes
    DNS             shares are inversely proportional to L of Equation 1
    dispatchers     a node that is not overloaded serves all it receives. An overloaded node keeps
                    in proportion to its L_min / L, and delegates to each node that is not in
                    proportion to that one's L_min / L / number of overloaded nodes (Figure 3)

Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", section 4 and Figure 3. What the
paper leaves open follows its authors' code (ctool, load_balancing.erl): inverse proportion, the
least load of 0.1 %, the division. Differences: the code has further conditions for being overloaded
(L > 30, L > average), which the paper does not have; and here a late node counts as using 100 % of
all three, where the code leaves its network unchanged. Unlike `balanced`, it has no bound between
shares, no memory and no panic.
"""
from swift_lb.model import LATE, UP, NodeInstruction
from swift_lb.plan.shares import mean, rounded, shared_out

MIN_LOAD = 0.1          # per cent: a smaller load counts as this
METRICS = {'net': 'network', 'cpu': 'cpu', 'mem': 'memory'}     # the paper's word: ours


def tllb(members, options):
    """Return (the Members' NodeInstructions by Equations 1 to 3, False: TLLB has no panic)."""
    used = usages(members)
    dns = {name: dns_load(options, **used[name]) for name in used}
    dispatcher = {name: dispatcher_load(options, **used[name]) for name in used}
    lightest = min(dns.values(), default=MIN_LOAD)
    clients = shared_out({name: lightest / load for name, load in dns.items()})
    keep, take = delegation(dispatcher, options.rho)
    nodes = []
    for member in members:
        name = member.name
        orders = (rounded(dispatcher[name]), rounded(lightest / dns[name]), clients[name],
                  keep[name], take[name]) if name in used else (None, 0.0, 0.0, 1.0, 0.0)
        nodes.append(NodeInstruction(name, member.report.proxy, member.state, *orders))
    return nodes, False


def usages(members):
    """Return {name: {net, cpu, mem: per cent in use}} of the members that are up or late.

    An unknown percentage is the mean of the nodes that are up; a late node counts as using 100 %.
    """
    known = {word: mean(member.report.metrics[metric] * 100 for member in members
                        if member.state == UP and metric in member.report.metrics)
             for word, metric in METRICS.items()}
    return {member.name: {word: _usage(member, metric, known[word])
                          for word, metric in METRICS.items()}
            for member in members if member.state in (UP, LATE)}


def _usage(member, metric, others):
    if member.state == LATE:
        return 100.0
    if metric in member.report.metrics:
        return member.report.metrics[metric] * 100
    return 100.0 if others is None else others


def dns_load(options, net, cpu, mem):
    """Return the load for DNS, per cent, from the percentages in use of network, CPU and memory."""
    alpha, beta, gamma = options.alpha, options.beta, options.gamma
    return max(MIN_LOAD, (alpha * net + beta * cpu + gamma * mem) / (alpha + beta + gamma))


def dispatcher_load(options, cpu, mem, net=None):
    """Return the load for dispatchers, per cent, from the percentages in use of CPU and memory."""
    beta, gamma = options.beta, options.gamma
    return max(MIN_LOAD, (beta * cpu + gamma * mem) / (beta + gamma))


def delegation(loads, rho):
    """Return ({name: fraction kept}, {name: share of what is delegated}) by the paper's Figure 3.

    `loads` are {name: per cent}; a node with more than `rho` times the least load is overloaded.
    """
    least = min(loads.values(), default=MIN_LOAD)
    overloaded = {name for name, load in loads.items() if load / least > rho}
    free = {name: least / load / len(overloaded) for name, load in loads.items()
            if name not in overloaded} if overloaded else {}
    keep = dict.fromkeys(loads, 1.0)
    for name in overloaded:
        own = least / loads[name]
        keep[name] = shared_out({'own': own, **{f'to {other}': weight
                                                for other, weight in free.items()}})['own']
    return keep, {**dict.fromkeys(loads, 0.0), **shared_out(free)}


def load_sentences(members, options):
    """Return {name: the loads for DNS and for dispatchers, in words} of members up or late."""
    used = usages(members)
    loads = {name: dispatcher_load(options, **usage) for name, usage in used.items()}
    least = min(loads.values(), default=MIN_LOAD)
    return {name: f'DNS load {dns_load(options, **used[name]):.3g} %, '
            f'dispatcher load {load:.3g} %, {load / least:.3g} of the least'
            for name, load in loads.items()}
