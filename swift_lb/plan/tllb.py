"""`tllb`: Two-Level Load Balancing, as its authors have published it. Pure.

Equation 1, of DNS               L = (alpha net + beta cpu + gamma mem) / (alpha + beta + gamma)
Equation 2, of the dispatchers   L = (beta cpu + gamma mem) / (beta + gamma)
Equation 3, overloaded           L / L_min > rho

    net, cpu, mem   per cent in use
    DNS             shares are inversely proportional to L of Equation 1
    dispatchers     who is not overloaded serves all it receives. Who is, keeps in proportion to
                    L_min / L, and delegates to each of the others in proportion to its L_min / L,
                    divided by how many are overloaded (Figure 3)

Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", section 4 and Figure 3. What the
paper leaves open is as in its authors' code (ctool, load_balancing.erl): inverse proportion, the
least load of 0.1 %, the division. Not as there: the further conditions for being overloaded
(L > 30, L > average), which the paper has not; and who is late is taken to use 100 % of all three,
where the code left its network as it was. There is no bound between shares, no memory and no
panic: see `balanced`.
"""
from swift_lb.model import LATE, UP, Part
from swift_lb.plan.shares import mean, rounded, shared_out

LEAST = 0.1             # per cent: smaller loads are taken for it
METRICS = {'net': 'network', 'cpu': 'cpu', 'mem': 'memory'}     # the paper's word: ours


def tllb(members, options):
    """Return (Parts, False) of `members`."""
    there = [member for member in members if member.state in (UP, LATE)]
    used = usages(there)
    dns = {name: dns_load(options, **used[name]) for name in used}
    dispatcher = {name: dispatcher_load(options, **used[name]) for name in used}
    lightest = min(dns.values(), default=LEAST)
    clients = shared_out({name: lightest / load for name, load in dns.items()})
    keep, take = delegation(dispatcher, options.rho)
    parts = []
    for member in members:
        name = member.name
        if name in used:
            parts.append(Part(
                name, member.report.proxy, member.state, rounded(dispatcher[name]),
                rounded(lightest / dns[name]), clients[name], keep[name], take[name]))
        else:
            parts.append(Part(name, member.report.proxy, member.state, None, 0.0, 0.0, 1.0, 0.0))
    return parts, False


def usages(members):
    """Return {name: {net, cpu, mem: per cent}}; of what is unknown, the mean of the others."""
    known = {word: mean(member.report.metrics[metric] * 100 for member in members
                        if member.state == UP and metric in member.report.metrics)
             for word, metric in METRICS.items()}
    return {member.name: {word: usage(member, metric, known[word])
                          for word, metric in METRICS.items()} for member in members}


def usage(member, metric, others):
    """Return per cent; `others` is the mean of those that know theirs, None if nobody does."""
    if member.state == LATE:
        return 100.0
    if metric in member.report.metrics:
        return member.report.metrics[metric] * 100
    return 100.0 if others is None else others


def dns_load(options, net, cpu, mem):
    """Return Equation 1, per cent."""
    alpha, beta, gamma = options.alpha, options.beta, options.gamma
    return max(LEAST, (alpha * net + beta * cpu + gamma * mem) / (alpha + beta + gamma))


def dispatcher_load(options, cpu, mem, net=None):
    """Return Equation 2, per cent; the network is omitted."""
    beta, gamma = options.beta, options.gamma
    return max(LEAST, (beta * cpu + gamma * mem) / (beta + gamma))


def delegation(loads, rho):
    """Return ({name: fraction kept}, {name: share of what is delegated}) by Equation 3."""
    least = min(loads.values(), default=LEAST)
    overloaded = {name for name, load in loads.items() if load / least > rho}
    free = {name: least / load / len(overloaded) for name, load in loads.items()
            if name not in overloaded} if overloaded else {}
    keep = dict.fromkeys(loads, 1.0)
    for name in overloaded:
        own = least / loads[name]
        keep[name] = shared_out({'own': own, **{f'to {other}': weight
                                                for other, weight in free.items()}})['own']
    return keep, {**dict.fromkeys(loads, 0.0), **shared_out(free)}


def why(members, options):
    """Return {name: the loads it was judged by, in words} of those that are judged."""
    used = usages([member for member in members if member.state in (UP, LATE)])
    loads = {name: dispatcher_load(options, **usage) for name, usage in used.items()}
    least = min(loads.values(), default=LEAST)
    return {name: f'DNS load {dns_load(options, **used[name]):.3g} %, '
            f'dispatcher load {load:.3g} %, {load / least:.3g} of the least'
            for name, load in loads.items()}
