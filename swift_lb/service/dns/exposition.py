"""The metrics of the DNS service; a test compares doc/metrics.md with COUNTERS and GAUGES."""

PREFIX = 'swift_lb_dns_'
LIMITED = {'dropped': 'drop', 'slipped': 'slip'}    # a result of the responder: a verdict of RRL
# name: (its labels, its description)
COUNTERS = {
    'queries': (('type', 'result'), 'queries, but for those over a limit, by what they asked for '
                                    'and what became of them'),
    'limited': (('verdict',), 'queries over the limit of their network: drop, no answer; slip, '
                              'told to ask by TCP'),
    'answers': (('family', 'node'), "answers that the node's address was in"),
    'answers_expected': (('family', 'node'), 'answers that it should have been in, by its chances '
                                             'when they were given'),
    'updates': ((), 'updates sent to update_server, with mode = rfc2136'),
    'faults': (('process',), 'what a process has met that must not be; its log says what'),
    'starts': (('process',), 'times a process has begun, since the process that counts has'),
}
GAUGES = {
    'info': (('version',), '1, with the version of swift-lb'),
    'processes': ((), 'processes that answer'),
    'resolvers': (('process',), 'clients that have asked a process within one TTL'),
    'share_target': (('family', 'node'), 'share of new clients that the node is to have'),
    'share_given': (('family', 'node'), 'share that it was given in the last 5 minutes'),
    'chance': (('family', 'node'), 'of the node to be in an answer'),
    'left_out': (('family', 'node', 'state'), '1 for each node in no answer, with its state'),
    'panic': (('family',), '1 while nodes that look bad are in answers, as most do'),
    'mode': (('family', 'mode'), '1 for the mode in force'),
    'answer_size': (('family',), 'addresses in an answer'),
    'ttl_seconds': ((), 'of the addresses'),
    'serial': ((), 'of the SOA; that of the instruction'),
    'without_instruction': ((), '1 while there is none, so that all have equal chances'),
    'reachable': (('node', 'address'), '0 for an address of a proxy that this host can not connect '
                                       'to, else 1'),
}


def values(document):
    """Return {metric: [(values of its labels, number)]} for the document of /v1/dns."""
    return dict(counted(document)) | dict(measured(document)) | dict(shared(document))


def counted(document):
    """Yield (metric, [(values of its labels, number)]) of each counter in `document`."""
    queries = document['queries']
    yield 'queries', [((kind, result), count) for kind, result, count in queries
                      if result not in LIMITED]
    yield 'limited', [((verdict,), sum(count for _kind, one, count in queries
                                       if one == result)) for result, verdict in LIMITED.items()]
    for name, key in (('answers', 'given'), ('answers_expected', 'expected')):
        yield name, of_proxies(document, key)
    yield 'updates', [((), document['updates'])]
    for name in ('faults', 'starts'):
        yield name, [((one['process'],), one[name]) for one in document['processes']]


def measured(document):
    """Yield (metric, [(values of its labels, number)]) of the gauges of the DNS processes."""
    answering = [one for one in document['processes'] if one['answers']]
    yield 'info', [((document['version'],), 1)]
    yield 'processes', [((), len(answering))]
    yield 'resolvers', [((one['process'],), one['resolvers']) for one in answering]
    for name, key in (('ttl_seconds', 'ttl'), ('serial', 'serial')):
        yield name, [] if document[key] is None else [((), document[key])]
    yield 'without_instruction', [((), int(document['without_instruction'] is not None))]


def shared(document):
    """Yield (metric, [(values of its labels, number)]) of the gauges of families and nodes."""
    families = document['families']
    yield 'panic', [((one['family'],), int(one['panic'])) for one in families]
    yield 'mode', [((one['family'], one['mode']), 1) for one in families if one['mode']]
    yield 'answer_size', [((one['family'],), one['size']) for one in families]
    for name, key in (('share_target', 'target'), ('share_given', 'given_share'),
                      ('chance', 'chance')):
        yield name, of_proxies(document, key)
    yield 'left_out', [((*labels, state), 1) for labels, state in of_proxies(document, 'left_out')]
    yield 'reachable', [((proxy['node'], proxy['address']), int(proxy['reachable']))
                        for one in families for proxy in one['proxies']
                        if proxy['reachable'] is not None]


def of_proxies(document, key):
    """Return [((family, node), value of `key`)] of the proxies' dicts where it is not None."""
    return [((one['family'], proxy['node']), proxy[key])
            for one in document['families'] for proxy in one['proxies'] if proxy[key] is not None]
