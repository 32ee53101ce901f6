"""The nouns, all frozen: what is said of a target, and by whom."""
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

make = tuple.__new__    # make(kind, fields): a NamedTuple of all its fields, in a third of the time


class Node(NamedTuple):
    """One disk behind one storage server process: the unit that is slow or fast.

    Not the ip alone, as in Swift's `timing`: disks of one host differ, and test clusters put
    several storage servers on one ip.
    """

    ip: str
    port: int
    device: str

    def __str__(self):
        ip = f'[{self.ip}]' if ':' in self.ip else self.ip
        return f'{ip}:{self.port}/{self.device}'


class DeviceReport(NamedTuple):
    """What a storage node says of one of its devices with an answer."""

    in_flight: int       # requests of all proxies on the device, without the one it answers
    service_time: float  # seconds that one more request makes those behind it wait


class NodeLoad(NamedTuple):
    """What is known of one node; None means unknown, which is never 0 and never best.

    Times are seconds, instants are seconds of a monotonic clock, throughput is bytes per second.
    """

    in_flight: int = 0                       # reads sent and not yet answered to the last byte
    waiting_since: float | None = None       # since when the longest-waiting of them has waited
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
    last_turn: int = 0                       # the book's turn at which it was last put first
    queued: int = 0                          # reads sent of whose answer nothing has come
    waiting: int = 0                         # reads the proxy waits for, these or a next chunk
    evidence: Mapping = MappingProxyType({})  # a class of load/evidence -> what it says
    report: DeviceReport | None = None       # the last that it sent with an answer
    reported_at: float | None = None

    @property
    def streaming(self):
        """Reads that have their first byte, and the proxy waits for the next.

        Not those whose clients take their time: the node does nothing for them meanwhile, and does
        not count them in its report either.
        """
        return max(0, self.waiting - self.queued)   # counted at two instants, and by others too


UNKNOWN = NodeLoad()


class Connect(NamedTuple):
    """The last time it took to connect to any server on an ip: what Swift's `timing` knows."""

    seconds: float
    at: float  # instant


class Snapshot(NamedTuple):
    """A frozen view of a LoadBook: nodes and ips it has never met are absent."""

    loads: Mapping                               # Node -> NodeLoad
    connects: Mapping = MappingProxyType({})     # ip -> Connect
    met: int = 0                                 # nodes the book has met, these or others
    common: Mapping = MappingProxyType({})       # a class of load/evidence -> of all nodes together

    def of(self, node):
        """Return the NodeLoad of `node`, UNKNOWN if it has never been met."""
        return self.loads.get(node, UNKNOWN)
