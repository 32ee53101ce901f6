"""The status of the DNS service as JSON-ready data: seconds, fractions, null if unknown."""
from swift_lb.service.dns.tally import SHARES_SECONDS
from swift_lb.version import version
from swift_lb.zone import records
from swift_lb.zone.records import text_of, type_text
from swift_lb.zone.targets import SUSPECT, UNHEARD

FORMAT = 1
FAMILIES = tuple(map(type_text, records.FAMILIES))      # in the order of a proxy's addresses
NO_REPORT = {'serial': None, 'ttl': None, 'instruction': None, 'targets': {}}
NO_TARGET = {'mode': None, 'size': 0, 'panic': False, 'shares': {}, 'left_out': {}, 'chances': {}}


def document(options, tally, recent, reach, instruction, now):
    """Return the document of /v1/dns: what is answered, why, and counts of answers.

    `options` are DnsOptions; `tally`, a DnsTally, has the counts, and `recent`, a Recent, the
    shares of the last minutes; `reach`, a Reach, says which proxies this host can connect to;
    `instruction` is the valid Instruction or None.
    """
    present, totals = tally.present(now), tally.totals()
    states = states_of(instruction, options.proxies)
    # Processes may follow different Instructions for a moment: one of them is shown.
    first = present.get('udp0') or next(iter(present.values()), NO_REPORT)
    return {
        'format': FORMAT, 'version': version(), 'node': options.node,
        'zone': text_of(options.zone),
        'names': [text_of(name) for name in options.names],
        'ns': {text_of(host): list(addresses) for host, addresses in options.ns.items()},
        'mode': options.mode, 'ttl': first['ttl'], 'usual_ttl': options.ttl,
        'suspects': [name for name, state in states.items() if state in SUSPECT],
        'serial': first['serial'], 'without_instruction': first['instruction'],
        'window': SHARES_SECONDS,
        'resolvers': max((one['resolvers'] for one in present.values()), default=None),
        'processes': processes(tally, present, totals, now),
        'queries': [[*labels, count] for labels, count in sorted(totals.queries.items())],
        'updates': totals.updates.total(),
        'families': [family(options, number, first['targets'].get(name, NO_TARGET), states, reach,
                            (totals.given, totals.expected, *recent.shares(totals)))
                     for number, name in enumerate(FAMILIES)
                     if any(addresses[number] for addresses in options.proxies.values())]}


def states_of(instruction, nodes):
    """Return {node: its state in the Instruction, or UNHEARD if that does not name the node}.

    All states are None if `instruction` is None.
    """
    if instruction is None:
        return dict.fromkeys(nodes)
    states = {each.node: each.state for each in instruction.nodes}
    return {node: states.get(node, UNHEARD) for node in nodes}


def processes(tally, present, totals, now):
    """Return a list of dicts, {process, pid, starts ...}, one for each DNS process of the DnsTally.

    `totals` are its DnsTotals. `answers` is whether a process is in `present`: it has reported
    lately. `heard` is the seconds since its last report.
    """
    return [{'process': name, 'pid': report.document['pid'], 'heard': now - report.at,
             'answers': name in present, 'resolvers': report.document['resolvers'],
             'starts': tally.starts[name], 'faults': totals.faults[name],
             'fault': report.document['fault']}
            for name, report in tally.processes().items()]


def family(options, number, target, states, reach, counted):
    """Return the status of one address family, a dict, in it a dict for each proxy's address.

    `number` is 0 for A, 1 for AAAA; `target` is what a DNS process reports of its answers to that
    family; `states` is {node: state}; `reach` is the Reach. `counted` are four dicts {(family,
    node): number}: the answers that had the node's address, the answers that should have had it by
    the node's share, and the node's shares of the clients in the last minutes, computed from each
    of these two counts.
    """
    name = FAMILIES[number]
    return {'family': name, 'mode': target['mode'], 'size': target['size'],
            'panic': target['panic'],
            'proxies': [proxy(name, node, addresses[number], target, counted) | {
                'state': states[node], **reach.of(node, addresses[number])}
                for node, addresses in options.proxies.items() if addresses[number]]}


def proxy(family, node, address, target, counted):
    """Return a dict for a proxy's address: its share of clients, and counts of its answers.

    `target`, what a DNS process reports, has each node's share of clients and the chance that its
    address is in an answer. `counted` are four dicts {(family, node): number}: answers that had the
    address, answers that should have had it, and the recent shares of clients by each of these.
    """
    given, expected, given_share, expected_share = (
        counts.get((family, node)) for counts in counted)
    return {'node': node, 'address': address, 'left_out': target['left_out'].get(node),
            'target': target['shares'].get(node, 0.0), 'chance': target['chances'].get(node, 0.0),
            'given': given or 0, 'expected': expected or 0.0,
            'given_share': given_share, 'expected_share': expected_share}
