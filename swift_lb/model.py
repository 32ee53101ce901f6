"""The types that all packages share, as frozen tuples: targets, their loads, reports."""
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

# fast_tuple(kind, fields): a NamedTuple of all its fields, made in a third of the time
fast_tuple = tuple.__new__


class Node(NamedTuple):
    """One disk behind one storage server process: the unit whose speed is measured.

    Swift's `timing` measures an ip only, but disks of one host differ, and test clusters put
    several storage servers on one ip.
    """

    ip: str
    port: int
    device: str

    def __str__(self):
        ip = f'[{self.ip}]' if ':' in self.ip else self.ip
        return f'{ip}:{self.port}/{self.device}'


class Backend(NamedTuple):
    """A proxy as a target of a dispatcher, which chooses among all proxies, its own included."""

    ip: str
    port: int
    name: str       # of its node, as the Instruction has it

    def __str__(self):
        return self.name


class RequestFacts(NamedTuple):
    """The facts of a client's request by which a dispatcher chooses a proxy to answer it."""

    method: str
    path: str           # as the client has sent it
    client: str         # its address
    content: str        # its class: dispatch/content.py
    size: int | None = None     # bytes of the request's body, None where that is unknown


class Forecast(NamedTuple):
    """The expected seconds of a backend for one more request, and of the hop of a request to it."""

    seconds: float      # from its arrival there to the head of its answer
    hop: float          # seconds to send it there; 0 for this proxy itself


class Traffic(NamedTuple):
    """The bytes of bodies that have gone through a backend, sent and received."""

    bytes: int          # of bodies, both ways, ever


class DeviceReport(NamedTuple):
    """The load of one device of a storage node, which the node sends in a header of its answers."""

    in_flight: int       # requests of all proxies on the device, without the answered one
    service_time: float  # seconds by which one more request delays those behind it


class NodeLoad(NamedTuple):
    """The measurements of one node; None means unknown, which no policy takes for 0 or the best.

    Times are seconds, instants are seconds of a monotonic clock, throughput is bytes per second.
    """

    in_flight: int = 0                       # reads sent and not yet answered to the last byte
    waiting_since: float | None = None       # instant since which the oldest of them waits
    connect_time: float | None = None        # to this node
    first_byte_time: float | None = None     # request sent -> first body byte
    first_byte_at: float | None = None
    last_throughput: float | None = None     # the paper's lastReadDataChunkThroughput
    last_chunk_at: float | None = None
    chunks: int = 0                          # the paper's totalReadDataChunks
    successes: int = 0                       # reads answered to the last byte
    errors: int = 0                          # refusals, broken connections, short bodies
    timeouts: int = 0
    choices: int = 0                         # times put first
    last_turn: int = 0                       # the book's turn when it was last put first
    queued: int = 0                          # reads sent and without a first byte
    waiting: int = 0                         # reads for which the proxy waits: first byte or chunk
    evidence: Mapping = MappingProxyType({})  # a class (load/evidence; of a backend:
    #                                           NodeInstruction, Forecast, Traffic) -> its view
    report: DeviceReport | None = None       # the last that it sent
    reported_at: float | None = None

    @property
    def streaming(self):
        """The number of reads whose first byte has come, and for whose next chunk the proxy waits.

        A read that waits for a slow client is not counted: the node does nothing for it meanwhile,
        and does not count it in its report either.
        """
        return max(0, self.waiting - self.queued)   # in shared memory the two may not match


UNKNOWN_LOAD = NodeLoad()


class Connect(NamedTuple):
    """The duration and the instant of the last connect to any server on an ip: Swift's `timing`."""

    seconds: float
    at: float  # instant


class Snapshot(NamedTuple):
    """A frozen view of a LoadBook; it lacks nodes and ips of which the book has no record."""

    loads: Mapping                               # Node -> NodeLoad
    connects: Mapping = MappingProxyType({})     # ip -> Connect
    met: int = 0                                 # all nodes that the book has met
    common: Mapping = MappingProxyType({})       # a class of load/evidence -> its view of all nodes
    #                                              together; of backends: RequestFacts, and Backend,
    #                                              which is this proxy

    def of(self, node):
        """Return the NodeLoad of `node`, UNKNOWN_LOAD if the book has no record of it."""
        return self.loads.get(node, UNKNOWN_LOAD)

    def evidence_of(self, kind, nodes):
        """Return [(queued, streaming, evidence), ...], one of each of `nodes`.

        `queued` counts reads without a first byte, `streaming` is NodeLoad.streaming, `evidence` is
        what the book keeps of the node in a policy's class `kind`, or None.
        """
        loads = [self.loads.get(node, UNKNOWN_LOAD) for node in nodes]
        return [(load.queued, load.streaming, load.evidence.get(kind)) for load in loads]


UP, LATE, GONE = 'up', 'late', 'gone'               # by the age of the node's last report
DRAINING, DISABLED = 'draining', 'disabled'         # by the operator, in the report
REJECTED, CRITICAL = 'rejected', 'critical'         # by the plan, for the node's load
STATES = (UP, LATE, GONE, DRAINING, DISABLED, REJECTED, CRITICAL)


class Report(NamedTuple):
    """The report that a node's agent sends to all others: its metrics and its last instruction.

    The plan remembers the past only by these last instructions, so that agents with the same
    reports compute the same Instruction, however long each agent has run.
    """

    node: str                   # the node's name
    epoch: int                  # of the agent: a later start has a larger one
    sequence: int               # of the report in its epoch: a later one is larger
    sent_at: float              # seconds since 1970 by the node's own clock, which may be wrong
    interval: float             # seconds until its next report
    metrics: Mapping            # name -> value, dampened; an unknown metric is absent
    proxy: str = ''             # address of the node's proxy, IP:PORT
    state: str = UP             # or DRAINING, DISABLED
    ramp: float = 1.0           # fraction of its weight that it is due: below 1 when cold
    reject: float | None = None         # load from which it is not to be chosen
    critical: float | None = None       # load from which it is to shed load
    told: str = UP              # the state in its last instruction
    weight: float | None = None         # likewise; the largest of all nodes' is 1
    keep: float = 1.0           # likewise: fraction of its requests that it serves itself
    take: float = 0.0           # likewise: its share of the requests that others delegate
    generation: int = 0         # of its Instruction
    digest: str = ''            # likewise
    rules: str = ''             # digest of the options of its plan
    flows: tuple = ()           # (node, requests per second that its proxy delegates to that
    #                             node's), the largest first, counted over some seconds; those that
    #                             do not fit are in the metric `handed_on`, which is the sum of all.
    #                             DNS weights depend on them: plan/flows.py


class ImageState(NamedTuple):
    """The decoders of images, `swift-lb-image`, of one host, or of all hosts of a cluster."""

    wait: float                 # seconds until a decoder of a host is free
    workers: int                # decoders, 1 at least
    decode: float               # seconds for a pixel that is decoded
    png: float                  # seconds for a pixel of the result, as a PNG
    raw: float                  # likewise, as raw pixels
    coefficients: float         # likewise, as detail coefficients


class Heard(NamedTuple):
    """A Report, and the instant of the receiver's clock at which it was received."""

    report: Report
    at: float                   # of the receiver's monotonic clock


class NodeInstruction(NamedTuple):
    """The plan for one node: its state, its share of DNS clients, the requests it delegates."""

    node: str
    proxy: str
    state: str
    load: float | None          # by which it was judged, in the unit of the metric
    weight: float               # by its load; the largest of all nodes' is 1
    dns: float                  # its share of the new clients
    keep: float                 # fraction of its requests that it serves itself
    take: float                 # its share of the requests that other nodes delegate


class Instruction(NamedTuple):
    """The plan for all nodes until `expires_at`, an instant of this host's monotonic clock.

    plan/decision.py makes it, and derives `in_dns` and `askable` from the other fields.
    """

    generation: int             # a later one is larger; for the same plan the same on all nodes
    expires_at: float
    rules: str                  # the name of the rule set
    panic: bool                 # more than half of the nodes look bad, so all count as up
    nodes: tuple                # a NodeInstruction each, by name
    digest: str                 # of the plan
    in_dns: frozenset           # names of the nodes that DNS may answer with, after panic
    askable: Mapping            # name -> state, after panic, of the nodes that dispatchers may ask

    def of(self, node):
        """Return the NodeInstruction of the node with the name `node`, or None."""
        return next((each for each in self.nodes if each.node == node), None)


class Echo(NamedTuple):
    """What a cluster says of the last summary of another cluster's speaker that it has received."""

    cluster: str                # of the speaker
    node: str                   # the speaker
    epoch: int
    sequence: int
    held: float                 # seconds from its receipt until this echo was sent
    lost: float                 # fraction of the speaker's last summaries that did not arrive


class ClusterLink(NamedTuple):
    """The way from a cluster to another one, as a speaker of the first measures it."""

    cluster: str                # the other one
    rtt: float                  # forecast of the next round trip, in seconds
    error: float | None         # mean absolute error of such forecasts, None if unknown
    lost: float                 # fraction of summaries that did not arrive there
    bandwidth: float | None = None          # forecast for the next body, in bytes per second
    bandwidth_error: float | None = None    # mean absolute error of such forecasts


class ContentTime(NamedTuple):
    """The time of a cluster's requests of one class of content, until the head of the answer."""

    content: str                # a class of dispatch/content.py
    seconds: float              # expected for one more request
    step: float                 # seconds that each further request adds


class ClientPath(NamedTuple):
    """The way from a cluster to the clients of one network, as the proxies there measure it."""

    network: str                # 198.51.100.0/24, or an IPv6 /48
    rtt: float                  # seconds of a round trip
    bandwidth: float            # bytes per second


class ClusterSummary(NamedTuple):
    """The load of a whole cluster, which one of its agents, the speaker, sends to other clusters.

    Average load, lowest load and number of nodes are those of the H-SWEB paper, section 2.
    """

    cluster: str                # dotted path, the largest group first: us.central.ksu
    node: str                   # the speaker
    epoch: int                  # of the speaker's agent: a later start has a larger one
    sequence: int               # of the summary in its epoch
    sent_at: float              # seconds since 1970 by the speaker's own clock
    interval: float             # seconds until its next summary
    url: str                    # of the cluster, for clients
    nodes: int                  # nodes that are up
    load: float | None          # average of their loads, in the unit of the cluster's metric
    least_load: float | None    # the lowest of their loads
    relays: tuple = ()          # IP:PORT of its proxies, or what wire/relay.py has
    times: tuple = ()           # a ContentTime of each class of content that is known
    credits: tuple = ()         # (cluster, requests per second that it takes from there) pairs
    ring: str = ''              # digest of its rings: regions of one Swift have the same
    region: int = 0             # its number in the rings, 0 if it is no region
    echoes: tuple = ()          # an Echo of each speaker of another cluster
    links: tuple = ()           # a ClusterLink to each other cluster
    paths: tuple = ()           # a ClientPath of each of some busy client networks
    ended: tuple = ()           # an EndedRedirect of each of the last reads redirected to it
    image: ImageState | None = None     # of its nodes that are up; None without a decoder


class EndedRedirect(NamedTuple):
    """How a redirected read has ended, as the cluster that served it tells the one it came from."""

    name: str                   # the first eight digits of the signature in its lb_from
    error: float                # seconds until the last byte was sent there - those predicted
    gain: float | None          # seconds it was sooner than predicted where it came from; None for
    #                             a try, or an object that was absent there
    is_part: bool = False       # whether it was of a part of an image


class HeardCluster(NamedTuple):
    """A ClusterSummary, and the instant of the receiver's clock at which it was received."""

    summary: ClusterSummary
    at: float                   # of the receiver's monotonic clock


class TimeForecast(NamedTuple):
    """The forecast of another cluster's ContentTime at the next summary."""

    seconds: float              # until the head of the answer
    error: float | None         # mean absolute error of such forecasts in seconds, None if unknown
    step: float                 # seconds that each further request adds


class Clusters(NamedTuple):
    """All clusters that a host knows: its own, and the others that it has heard."""

    here: str                   # the name of its own
    others: Mapping             # name -> HeardCluster
    links: Mapping = MappingProxyType({})   # name -> ClusterLink from its own cluster to that one
    names: tuple = ()                       # of all others in the conf, heard or not
    times: Mapping = MappingProxyType({})   # name -> {class of content: TimeForecast}
    paths: Mapping = MappingProxyType({})   # name -> {network of clients: ClientPath}
    ring: str = ''                          # digest of this cluster's own rings


LOCAL, FETCH, REDIRECT = 'local', 'fetch', 'redirect'


class Route(NamedTuple):
    """One way to serve a read: which cluster serves it, and how the bytes come to the client."""

    cluster: str                # name of the cluster whose storage nodes are read
    kind: str                   # LOCAL; FETCH, through a proxy here; REDIRECT of the client


class PartSeconds(NamedTuple):
    """The seconds that a part of an image adds to a RouteCost, by dispatch/points.py."""

    data: float                 # to read what the part needs of the object
    server: float               # until a decoder is free, and to decode and encode
    client: float               # of the client, to decode and to show
    wait: float = 0.0           # the part of `server` until a decoder is free


class RouteCost(NamedTuple):
    """The predicted seconds of a Route, from the decision to the last byte at the client.

    With a `part`, the client's work is in `seconds`, too.
    """

    seconds: float              # by the formulas of dispatch/cost.py
    error: float                # of the forecasts in it, in seconds
    paper: float | None         # by the formulas of the H-SWEB paper, if its policy is used
    head: float = 0.0           # the part of `seconds` until the head at the cluster that serves
    trips: float | None = None  # the part of round trips to it; None of LOCAL, which needs none
    same_link: bool = False     # whether it is LOCAL over a link, or a FETCH over the same one
    part: PartSeconds | None = None     # None if whole objects are read

    @property
    def client(self):
        """The seconds of the client's work after the last byte."""
        return self.part.client if self.part else 0.0

    @property
    def served(self):
        """The seconds at the cluster that serves, and of the body to the client."""
        return self.seconds - (self.trips or 0.0) - self.client

    @property
    def terms(self):
        """(name, seconds) pairs, whose sum is `seconds`; the body is what the others leave."""
        data, server = self.part[:2] if self.part else (0.0, 0.0)
        before = ('data', data), ('server', server)
        trips = () if self.trips is None else (('round trips', self.trips),)
        return (('head', self.head - data - server), *(before if self.part else ()), *trips,
                ('body', self.served - self.head),
                *((('client', self.client),) if self.part else ()))


class ClusterState(NamedTuple):
    """What is known of the load and the distance of a cluster when a route is chosen."""

    nodes: int                  # that are up
    known_nodes: int            # that were up lately: more than `nodes` after failures
    load: float | None          # average of their loads, in the unit of the cluster's metric
    least_load: float | None    # the lowest of them, None if unknown
    rtt: float                  # seconds of a round trip to it, 0 for this cluster
    client_rtt: float | None    # seconds of a round trip from it to the client, None if unknown


class KnownRoutes(NamedTuple):
    """What a policy of clusters knows when it orders the routes of a read."""

    here: Route                 # LOCAL of this cluster, also if it is no candidate
    costs: Mapping = MappingProxyType({})       # Route -> RouteCost, where it can be predicted
    states: Mapping = MappingProxyType({})      # cluster -> ClusterState, of this one, too
    choices: Mapping = MappingProxyType({})     # cluster -> reads that this worker has sent there,
    #                                             by whichever route
