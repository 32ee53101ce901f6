"""A read that a question to the status page describes: no client has sent it.

It has no connection, so the Way to its client is that which this cluster knows for the client's
network; if it is unknown, a Way without delay and limit.
"""
from typing import NamedTuple
from urllib.parse import unquote

from swift_lb.dispatch.containers import NOWHERE
from swift_lb.proxy.dispatch.cluster_choice import STAY, USUAL_SIZE
from swift_lb.proxy.dispatch.cluster_rules import ABSENT, EARLY, LATE, LATE_FROM
from swift_lb.proxy.dispatch.cluster_status import is_cut_off
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.dispatch.redirects import FOLLOW

MOMENTS = EARLY, LATE, ABSENT


class AskedRead(NamedTuple):
    """A read that a question to the status page describes."""

    env: dict               # its WSGI environment
    moment: str             # of the decision: EARLY, LATE or ABSENT
    pending: object         # its PendingRead
    named: list             # names of the clusters that may serve it
    stays: str | None       # why no other cluster serves it, None if one may

    @property
    def container(self):
        """The path of its container, /v1/ACCOUNT/CONTAINER."""
        return container_of(self.env['PATH_INFO'])


def asked_read(choice, others, policy, head, facts, query, now):
    """Return the AskedRead of a request with the RequestFacts `facts`, as if it came at `now`.

    `choice` is the worker's ClusterChoice, `others` its OtherClusters, which must know [lb-cluster]
    and its file; `policy` is the policy's name, `head` the seconds until a head here, None if
    unknown. `query` is that of ClusterWhy.describe().
    """
    known, env = others.known(), env_of(facts, query)
    path, containers = env['PATH_INFO'], choice.router.containers
    container = containers.facts(container_of(path), now)
    named = choice.names(container) if container else []
    early = choice.early_names(container, named) if container else []
    moment = moment_of(facts.method, query.get('moment'), early)
    text = query.get('bytes', '')
    size = (int(text) if text.isdecimal() else
            containers.size(container_of(path), path) or USUAL_SIZE)
    pending = choice.pending(env, container, size,
                             {EARLY: head or 0.0, LATE: 0.0, ABSENT: None}[moment])
    if is_cut_off(known, others.summaries()):
        stays = 'this cluster is cut off: more than half of the others are silent'
    else:
        stays = stays_for(moment, policy, container, pending)
    if moment == EARLY and early:
        pending, early = choice.placed(pending, container, early)
    return AskedRead(env, moment, pending, list(early if moment == EARLY else named), stays)


def env_of(facts, query):
    """Return a WSGI environment by which a request with these RequestFacts is decided.

    `query` is that of ClusterWhy.describe().
    """
    path = unquote(facts.path.partition('?')[0], encoding='latin-1')
    env = {'REQUEST_METHOD': facts.method, 'PATH_INFO': path, 'REMOTE_ADDR': facts.client,
           'QUERY_STRING': facts.path.partition('?')[2]}
    return env | {FOLLOW: 'follow'} if query.get('follows') == '1' else env


def moment_of(method, wanted, early):
    """Return the `wanted` one of EARLY, LATE and ABSENT, else the first at which a read may leave.

    `early` are the clusters that may serve it before its version is known. A HEAD leaves only if
    its object is absent here.
    """
    if method == 'HEAD':
        return ABSENT
    return wanted if wanted in MOMENTS else EARLY if early else LATE


def stays_for(moment, policy, container, pending):
    """Return why a read stays, whatever other clusters there are; None if it may leave.

    `moment` is that of the decision, `policy` the policy's name. `container` are ContainerFacts,
    None if unknown; `pending` is the PendingRead.
    """
    if policy == STAY:
        return f'the policy is {STAY}'
    if container is None:
        return ('the container is unknown to this worker, which learns it from each read of its '
                'objects, for 60 s')
    if NOWHERE in container.clusters:
        return f'the container says {NOWHERE}'
    if moment == LATE and pending.size < LATE_FROM:
        return f'it has less than {LATE_FROM} bytes'
    if moment == EARLY and not pending.head:
        return 'the seconds until a head here are not known yet'
    return None
