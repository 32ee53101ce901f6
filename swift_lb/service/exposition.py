"""The agent's metrics for Prometheus; a test compares doc/metrics.md with COUNTERS and GAUGES."""
from swift_lb.chains.chain import POINTS
from swift_lb.model import UP
from swift_lb.service.documents import clusters
from swift_lb.version import version
from swift_lb.wire.image_counts import CACHE_EVENTS

PREFIX = 'swift_lb_agent_'
# name: (names of its labels, help text)
COUNTERS = {
    'reports_accepted': ((), 'reports of other nodes that were accepted'),
    'reports_refused': (('reason',), 'datagrams that were refused, by reason'),
    'datagrams_sent': ((), 'reports sent, one to each node'),
    'bytes_sent': ((), 'bytes of these reports, without the headers of UDP and IP'),
    'datagrams_received': ((), "datagrams that arrived at the agent's port, from any sender"),
    'bytes_received': ((), 'bytes of these datagrams, without the headers of UDP and IP'),
    'unsent': ((), 'reports that the host could not send'),
    'summaries_accepted': ((), 'summaries of clusters that were accepted'),
    'summaries_refused': (('reason',), 'summaries of clusters that were refused, by reason'),
    'observations_accepted': ((), 'datagrams with measurements for other clusters, accepted'),
    'observations_refused': (('reason',), 'such datagrams that were refused, by reason'),
    'bandwidth_samples': (('cluster',), 'rates by which a bandwidth is forecast'),
    'probes': (('cluster', 'outcome'), 'probes of the bandwidth, by outcome'),
    'image_parts': (('point',), 'parts of images that the proxies of this host answered'),
    'image_results': (('origin',), 'results needed for them, made or kept before'),
    'image_saved_seconds': (('by',), 'seconds saved by their points, and by results kept before'),
    'cache_events': (('event',), 'results of images not kept, or no longer, by event'),
    'alerts': ((), 'alerts sent between two reports because this node became critical'),
}
GAUGES = {
    'info': (('version', 'rules'), '1, with the version of swift-lb and the rules of the plan'),
    'nodes': (('state',), 'nodes that sent a report, by state'),
    'generation': ((), 'generation of the instruction'),
    'expires_in_seconds': ((), 'seconds until the instruction expires'),
    'panic': ((), '1 while all nodes are treated as up because most look bad'),
    'faults': ((), 'parts of the agent that fail now'),
    'metric': (('metric',), 'dampened readings of the sensors of this node'),
    'decoders': ((), 'processes of this host that decode images'),
    'decoder_wait_seconds': ((), 'seconds until one of them is free'),
    'cache_bytes': ((), 'bytes of the results of images that this host keeps'),
    'cache_budget_bytes': ((), 'bytes that these may have'),
    'cluster_alive': (('cluster',), '1 while requests may be sent to the other cluster'),
    'cluster_age_seconds': (('cluster',), "seconds since the other cluster's last summary came"),
    'cluster_rtt_seconds': (('cluster',), 'forecast of the round trip to the other cluster'),
    'cluster_bandwidth': (('cluster',), 'forecast of bytes per second from the other cluster'),
    'cluster_time_seconds': (('cluster', 'content'), 'forecast until an answer begins there'),
    'cluster_credit': (('cluster',), 'requests per second that the other cluster may send here'),
    'cluster_decoders': (('cluster',), 'processes of the other cluster that decode images'),
    'cluster_decoder_wait_seconds': (('cluster',), 'seconds until one of them is free'),
    'node_load': (('node',), 'load of a node, by which its weight is computed'),
    'node_dns_share': (('node',), 'share of the new clients that a node gets from DNS'),
    'node_keep': (('node',), 'fraction of its received requests that a node serves itself'),
    'node_take': (('node',), 'share of the delegated requests that a node gets'),
    'node_report_age_seconds': (('node',), "seconds since a node's last report came"),
    'node_clock_skew_seconds': (('node',), "seconds by which a node's clock is ahead"),
}


def values(agent, traffic, now):
    """Return {metric: [(values of labels, number)]}; `traffic` is {metric: count} of datagrams."""
    return dict(counted(agent, traffic)) | dict(measured(agent, now)) | dict(
        instructed(agent.instruction, now)) | dict(cached(agent.decoders.cache))


def counted(agent, traffic):
    """Yield (metric, [(values of its labels, number)]) of each counter of the agent."""
    yield 'reports_accepted', [((), agent.inbox.accepted)]
    yield 'reports_refused', [((why,), count) for why, count in agent.inbox.refused.items()]
    yield 'alerts', [((), agent.alerts)]
    exchange = agent.clusters
    yield 'summaries_accepted', [((), exchange.inspected.accepted)] if exchange else []
    yield 'summaries_refused', [((why,), count) for why, count in
                                (exchange.inspected.refused.items() if exchange else ())]
    yield from observed(exchange)
    yield from parts(agent.decoders.rates.counts)
    for name, count in traffic.items():
        yield name, [((), count)]


def observed(exchange):
    """Yield (metric, [(values of its labels, number)]) of the counters of measurements.

    `exchange` is a ClusterExchange, or None without [lb-cluster].
    """
    refused, samples, probes = (exchange.observed.refused, exchange.links.bandwidths.samples,
                                exchange.probing.counted) if exchange else ({}, {}, {})
    yield 'observations_accepted', [((), exchange.observed.accepted)] if exchange else []
    yield 'observations_refused', [((why,), count) for why, count in refused.items()]
    yield 'bandwidth_samples', [((cluster,), count) for cluster, count in samples.items()]
    yield 'probes', list(probes.items())


def parts(counts):
    """Yield (metric, [(values of its labels, number)]) of the counters of parts of images.

    `counts` are the ImageCounts of this host, or None.
    """
    yield 'image_parts', [*zip(zip(POINTS), counts.parts, strict=True)] if counts else []
    yield 'image_results', [(('kept',), counts.hits), (('made',), counts.made)] if counts else []
    yield 'image_saved_seconds', [(('point',), counts.saved_by_points),
                                  (('kept',), counts.saved_by_kept)] if counts else []


def measured(agent, now):
    """Yield (metric, [(values of its labels, number)]) of each gauge of sensors and reports."""
    states, inbox = list(agent.states(now).values()), agent.inbox
    yield 'info', [((version(), agent.options.plan.rules), 1)]
    yield 'nodes', [((state,), states.count(state)) for state in set(states)]
    yield 'faults', [((), len(agent.faults))]
    yield 'metric', [((name,), value) for name, value in agent.monitor.metrics.items()]
    yield 'node_report_age_seconds', [((name,), now - at)
                                      for name, (_report, at) in inbox.reports.items()]
    yield 'node_clock_skew_seconds', [((name,), skew) for name, skew in inbox.skews.items()]
    others = clusters(agent, now)['clusters']
    yield 'cluster_alive', [((one['cluster'],), int(one['state'] == UP)) for one in others]
    for name, field in (('cluster_age_seconds', 'age'), ('cluster_rtt_seconds', 'rtt'),
                        ('cluster_bandwidth', 'bandwidth')):
        yield name, [((one['cluster'],), one[field]) for one in others if one[field] is not None]
    yield 'cluster_time_seconds', [((one['cluster'], content), seconds) for one in others
                                   for content, seconds in one['times'].items()]
    yield from decoders(agent.decoders.state, others)
    credits = agent.clusters.credits if agent.clusters else {}
    yield 'cluster_credit', [((cluster,), rate) for cluster, rate in credits.items()]


def decoders(own, others):
    """Yield (metric, [(values of its labels, number)]) of each gauge of decoders of images.

    `own` is the ImageState of this host, or None; `others` are entries of /v1/clusters.
    """
    yield 'decoders', [((), own.workers)] if own else []
    yield 'decoder_wait_seconds', [((), own.wait)] if own else []
    known = [(one['cluster'], one['image']) for one in others if one['image'] is not None]
    yield 'cluster_decoders', [((name,), image['workers']) for name, image in known]
    yield 'cluster_decoder_wait_seconds', [((name,), image['wait']) for name, image in known]


def instructed(instruction, now):
    """Yield (metric, [(values of its labels, number)]) of each gauge of the Instruction.

    If `instruction` is None, there are no numbers, except 0 for panic.
    """
    nodes = instruction.nodes if instruction else ()
    yield 'generation', [((), instruction.generation)] if instruction else []
    yield 'expires_in_seconds', [((), instruction.expires_at - now)] if instruction else []
    yield 'panic', [((), int(bool(instruction and instruction.panic)))]
    yield 'node_load', [((node.node,), node.load) for node in nodes if node.load is not None]
    for name, field in (('node_dns_share', 'dns'), ('node_keep', 'keep'), ('node_take', 'take')):
        yield name, [((node.node,), getattr(node, field)) for node in nodes]


def cached(cache):
    """Yield (metric, [(values of its labels, number)]) of each metric of a host's store.

    `cache` is what swift-lb-image tells of it (wire/image_counts.py); {} if it keeps nothing.
    """
    yield 'cache_events', [((name,), cache[name]) for name in CACHE_EVENTS if cache]
    yield 'cache_bytes', [((), cache['bytes'])] if cache else []
    yield 'cache_budget_bytes', [((), cache['budget'])] if cache else []
