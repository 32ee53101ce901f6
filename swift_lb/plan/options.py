"""The options of a plan. They must be the same on all nodes, or the nodes' plans differ. Pure."""
import hashlib
from typing import NamedTuple

AUTO = 'auto'


class PlanOptions(NamedTuple):
    """The options of [lb-agent] that the plan depends on; the conf sample has their reasons.

    alpha, beta, gamma and rho are for `tllb`, late_after and gone_after for both rule sets, the
    rest for `balanced`. The paper of `tllb` has no values: beta : gamma = 3 : 1 and rho = 1.5 are
    from its authors' code (ctool, load_balancing.erl). That code has no alpha: its load_for_dns is
    a product, (2 + load_for_dispatcher) / 3 x net, in which net counts twice as much as CPU and
    memory together; so it does here.
    """

    rules: str = 'balanced'
    alpha: float = 8.0
    beta: float = 3.0
    gamma: float = 1.0
    rho: float = 1.5
    metric: str = AUTO          # of load: a metric's name; auto: in_flight and response_time
    higher: tuple = ()          # names of metrics of which more is better
    reject: float | None = None         # thresholds for all nodes; None: each node's own
    critical: float | None = None
    band: float = 0.25          # a node this fraction above the mean load still delegates nothing
    ratio: float = 10.0         # the most between two weights
    floor: float = 0.03         # fraction of all shares that nodes get in equal parts: a probe
    tau: float = 120.0          # seconds that DNS weights take to follow
    hysteresis: float = 0.1     # a weight that is off by a smaller fraction stays
    late_after: float = 3.0     # intervals without a report
    gone_after: float = 4.5     # intervals

    def digest(self):
        """Return eight characters that differ if any option differs, to compare nodes' options."""
        return hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:8]


DEFAULTS = PlanOptions()
