"""What a policy's label stands for: the app of a lab's proxies, and the options of that app.

    lb_rlt            swift-lb's app with the policy lb_rlt
    lb_rlt@read       the same with lb_chunk_clock = read: the first chunk's clock starts when the
                      proxy begins to read the body, not when it has sent the request
    lb_rlt@host       swift-lb's app, whose workers share one book of measurements. Without @host
                      each worker has its own, as the sources define the policies; `adaptive`
                      always shares one

    swift:timing      Swift's own app with sorting_method = timing

`adaptive` hedges, as it does by default; the other policies do not, as in their sources.
"""
from typing import NamedTuple

from swift_lb.console.comparison import PAPER
from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES, SHARING

OURS, SWIFTS = 'egg:swift-lb#proxy', 'egg:swift#proxy'
READ, HOST = 'read', 'host'
SWIFT = {               # sorting_method: the paper's name for it, table 5
    'shuffle': 'LB-R', 'affinity': 'LB-RW', 'timing': 'LB-RCT',
}
TIMING_EXPIRY = 300     # seconds, Swift's default


class LabNode(NamedTuple):
    """A storage node of the lab: number (also its zone), IP address, reads/s that it can serve."""

    number: int
    ip: str
    capacity: float      # requests/s


def known():
    """Return the labels of all policies that an evaluation can measure."""
    return [*POLICIES, *(f'{name}@{READ}' for name in POLICIES),
            *(f'{name}@{HOST}' for name in POLICIES if name not in SHARING),
            *(f'swift:{method}' for method in SWIFT)]


def faults_of(labels):
    """Yield a sentence for each policy label of `labels` that is unknown or occurs twice."""
    for label in dict.fromkeys(labels):
        if label not in known():
            yield (f'--policies: unknown policy {label!r}; there are {", ".join(POLICIES)}, each '
                   f'also as NAME@read (lb_chunk_clock = read) and, but for '
                   f'{", ".join(SHARING)}, as NAME@host (lb_book = host), and Swift\'s own '
                   f'{", ".join(f"swift:{method}" for method in SWIFT)}')
        elif labels.count(label) > 1:
            yield f'--policies: {label} is there {labels.count(label)} times'


def paper_name(label):
    """Return the name that the paper gives the policy `label`, such as LB-RLT, or ''.

    Labels with @read or @host have none: the paper does not say when the time of a chunk starts, so
    only the label without @read counts as the paper's; and the paper's workers share nothing.
    """
    if label.startswith('swift:'):
        return SWIFT.get(label.removeprefix('swift:'), '')
    return PAPER.get(label, '')


def settings(label, nodes):
    """Return (app, {option: value}) of the proxies for the policy `label`.

    The app is the egg of swift-lb's or of Swift's proxy. `nodes` are the LabNodes, whose addresses
    or zones some options name. Raises ConfigError if the label is unknown.
    """
    if faults := [*faults_of([label])]:
        raise ConfigError(faults)
    if label.startswith('swift:'):
        return SWIFTS, _swift(label.removeprefix('swift:'), nodes)
    policy, _at, variant = label.partition('@')
    options = {'lb_policy': policy} | ({'lb_chunk_clock': READ} if variant == READ else {})
    if policy not in SHARING:
        options['lb_hedge'] = 'off'
    if policy not in SHARING and variant != HOST:
        options['lb_book'] = 'worker'   # otherwise the lab sets the path of the proxy's book
    if policy == 'weighted':
        options['lb_weights'] = _weights(slow(nodes))
    return OURS, options


def alone(number, nodes):
    """Return (app, {option: value}) with which node `number` serves all reads of a lab.

    All other nodes get weight 0.
    """
    others = [node for node in nodes if node.number != number]
    return OURS, {'lb_policy': 'weighted', 'lb_weights': _weights(others), 'lb_hedge': 'off'}


def slow(nodes):
    """Return the LabNodes of least capacity; [] if all nodes have the same.

    The paper's LB-RW policies, which are `weighted` and Swift's affinity, are set to avoid them.
    """
    least = min(node.capacity for node in nodes)
    slowest = [node for node in nodes if node.capacity == least]
    return slowest if len(slowest) < len(nodes) else []


def _weights(left_out):
    return ', '.join(f'{node.ip}=0' for node in left_out)


def _swift(method, nodes):
    options = {'sorting_method': method}
    if method == 'timing':
        options['timing_expiry'] = str(TIMING_EXPIRY)
    if method == 'affinity':
        left_out = slow(nodes)
        options['read_affinity'] = ', '.join(
            f'r1z{node.number}=100' for node in nodes if node not in left_out)
    return options
