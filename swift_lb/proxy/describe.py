"""Say in plain data what a book knows and why it would choose: the status page's contents."""
from swift_lb.proxy.replicas import key_of

FORMAT = 2  # of the document; raised when a reader of the old one would go wrong


def describe(replicas, worker, pid, book=None):
    """Return the status document of a worker's ReplicaOrder: JSON-ready, ages in seconds.

    `book` says which book it is, None for one of the worker's own.
    """
    now = replicas.clock()
    snapshot = replicas.book.snapshot()
    return {
        'format': FORMAT, 'pid': pid, 'worker': worker, 'book': book,
        'policies': {_name(index): _policy(replicas, index) for index in replicas.options},
        'nodes': [_node(replicas, node, snapshot, now) for node in sorted(snapshot.loads, key=str)],
    }


def describe_order(replicas, ordered, index, limited):
    """Return the order node dicts would be read in, each with its facts and the reason.

    `limited` tells of a node dict whether Swift's error limiter would have it skipped.
    """
    now = replicas.clock()
    keys = [key_of(node) for node in ordered]
    snapshot = replicas.book.snapshot(keys)
    return [_facts(snapshot.of(key), now)
            | {'node': str(key), 'error_limited': limited(node),
               'why': _why(replicas, index, key, keys, snapshot, now)}
            for key, node in zip(keys, ordered, strict=True)]


def _name(index):
    return 'default' if index is None else str(index)


def _policy(replicas, index):
    options = replicas.options[index]
    return {'policy': options.policy, 'enabled': options.enabled,
            'chunk_clock': options.chunk_clock, 'max_age': options.max_age,
            'unmeasured': options.unmeasured, 'hedge': options.hedge,
            'account_container': options.account_container}


def _node(replicas, node, snapshot, now):
    load = snapshot.of(node)
    return {'node': str(node), 'ip': node.ip, 'port': node.port, 'device': node.device,
            'choices': load.choices,
            'why': {_name(index): _why(replicas, index, node, [node], snapshot, now)
                    for index in replicas.options}} | _facts(load, now)


def _why(replicas, index, node, candidates, snapshot, now):
    if not replicas.options_of(index).enabled:
        return "Swift's own order"
    return replicas.policy_of(index).explain(node, candidates, snapshot, now)


def last_orders(replicas):
    """Return the last order of each storage policy, with the reason for each node's place."""
    return {_name(index): {
        'age': replicas.clock() - last.at,
        'order': [{'node': str(node),
                   'why': replicas.policy_of(index).explain(
                       node, tier, last.snapshot, last.at)}
                  for tier in last.tiers for node in tier]}
        for index, last in list(replicas.last_decisions.items())}


def _facts(load, now):
    return {
        'in_flight': load.in_flight, 'oldest_wait': _age(load.waiting_since, now),
        'last_throughput': load.last_throughput, 'last_chunk_age': _age(load.last_chunk_at, now),
        'chunks': load.chunks, 'connect_time': load.connect_time,
        'first_byte_time': load.first_byte_time,
        'first_byte_age': _age(load.first_byte_at, now),
        'successes': load.successes, 'errors': load.errors, 'timeouts': load.timeouts,
        'reported_in_flight': load.report and load.report.in_flight,
        'reported_service_time': load.report and load.report.service_time,
        'report_age': _age(load.reported_at, now),
    }


def _age(instant, now):
    return None if instant is None else now - instant
