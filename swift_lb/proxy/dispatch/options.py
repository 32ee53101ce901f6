"""The options of [filter:lb_dispatcher], and the server options that matter to it."""
import os
from collections.abc import Mapping
from dataclasses import dataclass

from swift.common.utils import config_auto_int_value, config_true_value

from swift_lb.config import NO_OPTIONS, InvalidError, at_least, one_of, option, seconds, words
from swift_lb.dispatch.cooperation import OWNER, RULES
from swift_lb.policy.backends import BACKEND_POLICIES
from swift_lb.policy.clusters import CLUSTER_POLICIES, ClusterPolicyOptions
from swift_lb.proxy.dispatch.redirects import ASKED, NEVER
from swift_lb.replica_options import book, weights, weights_of
from swift_lb.wire.cluster_summary import CLUSTER

PLAIN = 'does not go with lb_dispatcher: proxies ask each other'


def cluster_weights(text):
    """Parse `CLUSTER=WEIGHT, ...` into {cluster: weight, 0 or more}; raises InvalidError."""
    return weights_of(text, _cluster, 'CLUSTER=WEIGHT')


def _cluster(name):
    if CLUSTER.fullmatch(name) is None:
        raise InvalidError(f'{name!r} must be the name of a cluster, such as us.ksu')
    return name


@dataclass(frozen=True)
class DispatchOptions:
    """The options of a dispatcher; `etc/proxy-server.conf-sample` explains each."""

    policy: str = option('adaptive', one_of(*BACKEND_POLICIES), '', 'the rule that orders peers')
    lb_conf: str = option('/etc/swift/lb-server.conf', str, '', 'the conf file of the agent')
    weights: Mapping = option(NO_OPTIONS, weights, '', 'share of requests of each peer')
    band: float = option(0.25, at_least(0), 'fraction', 'how much sooner a peer must answer')
    connect_timeout: float = option(0.5, seconds(0.001), 'seconds', 'limit of a connect to a peer')
    book: str = option('host', book, '', 'which processes share the counts of requests')
    cooperation: str = option(OWNER, one_of(*RULES), '',
                              'which proxy answers requests for a part of an image')
    cluster_policy: str = option('adaptive', one_of(*CLUSTER_POLICIES), '',
                                 'the rule that chooses among clusters')
    cluster_band: float = option(0.1, at_least(0), 'fraction',
                                 'how much sooner another cluster must answer')
    cluster_threshold: float = option(0.09, at_least(0), 'seconds',
                                      'up to which no read leaves, for hsweb')
    cluster_weights: Mapping = option(NO_OPTIONS, cluster_weights, '',
                                      'share of reads of each cluster, for locality_weighted')
    redirect: str = option(ASKED, one_of(ASKED, NEVER), '', 'which clients are redirected')
    redirect_agents: tuple = option(('python-swiftclient',), words, '',
                                    'programs that follow redirects, by User-Agent')
    key: str = option('', str, '', 'secret of the status page outside the loopback interface')

    @property
    def of_cluster_policy(self):
        """The ClusterPolicyOptions among them."""
        return ClusterPolicyOptions(self.cluster_band, self.cluster_threshold, self.cluster_weights)


def server_faults(conf, path):
    """Return a sentence for each server option (TLS, PROXY protocol) that shuts out peers."""
    faults = []
    if 'cert_file' in conf:     # Swift serves TLS whatever its value is
        faults.append(f'{path}, cert_file: {PLAIN} by HTTP without TLS; end TLS in front of them')
    if config_true_value(conf.get('require_proxy_protocol', 'no')):
        faults.append(f'{path}, require_proxy_protocol: {PLAIN} without a PROXY line; end the '
                      'PROXY protocol in front of them')
    return faults


def workers_of(conf):
    """Return how many workers serve a proxy, at least 1, by Swift's option in `conf`.

    `conf` is {name: text} of [DEFAULT]; by default there is one for each processor.
    """
    return max(1, config_auto_int_value(conf.get('workers'), os.cpu_count()))
