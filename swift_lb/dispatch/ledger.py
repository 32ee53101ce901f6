"""What this host knows of each backend, made into a Snapshot for a policy. Pure.

A LoadBook counts requests in flight, choices, successes and errors for all workers of the host.
What peers report with answers, the bytes relayed, and failures are known to each worker alone.
"""
from swift_lb.dispatch.outlook import Outlook
from swift_lb.model import (
    Backend,
    Forecast,
    Node,
    NodeInstruction,
    NodeLoad,
    RequestFacts,
    Snapshot,
    Traffic,
)

EJECTED, MAX_EJECTED = 1.0, 30.0    # seconds for which a failed peer is not asked: first, at most


class BackendRecord:
    """What one worker knows of one backend: bytes relayed, failures, and its Outlook."""

    __slots__ = ('bytes', 'choices_before', 'ejected_until', 'failures', 'node', 'outlook')

    def __init__(self, backend):
        self.node = Node(*backend)      # its key in the book
        self.bytes = self.failures = self.choices_before = 0
        self.ejected_until = 0.0
        self.outlook = Outlook()

    def passed(self, count):
        """Add `count` bytes of bodies that were sent to the backend or received from it."""
        self.bytes += count

    def reset_failures(self):
        """Note that the backend has answered, so that its next ejection is a short one."""
        self.failures = 0

    def failed(self, now):
        """Eject the peer: ask it nothing for EJECTED seconds, doubled by each failure in a row.

        MAX_EJECTED is the limit. A failure while ejected does not count: its request is older.
        """
        if now < self.ejected_until:
            return
        self.ejected_until = now + min(MAX_EJECTED, EJECTED * 2 ** self.failures)
        self.failures = min(self.failures + 1, 8)


class Ledger:
    """What one worker knows of all backends: its own BackendRecords, and the host's LoadBook."""

    def __init__(self, book):
        """Take `book()`: it returns the host's LoadBook, or this worker's if the host has none."""
        self._book = book
        self._records = {}      # Backend -> BackendRecord

    def record(self, backend):
        """Return the BackendRecord of `backend`.

        A new backend starts with the choices and bytes of the backend that has fewest: else
        policies that count these would send it all requests until it had caught up.
        """
        record = self._records.get(backend)
        if record is None:
            record, others = BackendRecord(backend), self._records
            record.bytes = min((other.bytes for other in others.values()), default=0)
            own = self._load(record).choices
            record.choices_before = max(0, min(
                (self._load(other).choices + other.choices_before for other in others.values()),
                default=own) - own)
            self._records[backend] = record
        return record

    def retain(self, backends):
        """Drop the records of backends not in `backends`; their requests in flight end as usual."""
        for backend in self._records.keys() - set(backends):
            del self._records[backend]

    def begin(self, backend, now):
        """Count a request to `backend` as in flight until nothing refers to the returned Read."""
        return self._book().begin(self.record(backend).node, now)

    def begin_part(self, backend, now):
        """Count a part of an image as in flight, as begin() does, but not as one that waits.

        A part waits for a decoder. That shows nothing of how long other requests take there.
        """
        read = self.begin(backend, now)
        read.head(now)
        return read

    def learn_from_answer(self, backend, read, since, now, reported, timed=True):
        """Learn from the head of an answer to the request of the Read `read`, sent at `since`.

        `reported` is (PeerLoad, seconds that the answer took at the peer) or None. Returns the
        seconds of the hop, those that the answer did not take at the peer; None if nothing is
        reported, or if `timed` is False: the answer may have waited for a client to send its body.
        """
        record = self.record(backend)
        record.reset_failures()
        read.head(now)
        if not reported:
            return None
        load, took = reported
        record.outlook.report(load, self.in_flight(backend) - 1, now)
        if not timed:
            return None
        record.outlook.add_hop(now - since, took, now)
        return max(0.0, now - since - took)

    def in_flight(self, backend):
        """Return how many requests of this host `backend` has not yet answered completely."""
        return self._book().in_flight(self.record(backend).node)

    def chosen(self, backend, now):
        """Note in the LoadBook that the policy has put `backend` first."""
        self._book().chosen(self.record(backend).node, now)

    def load(self, backend):
        """Return the NodeLoad of `backend` in the LoadBook."""
        return self._load(self.record(backend))

    def _load(self, record):
        return self._book().snapshot((record.node,)).of(record.node)

    def forecast(self, backend, now, typical):
        """Return the Forecast of a peer, None if nothing is known of it.

        `typical` is the mean seconds of requests at this proxy, None if unknown.
        """
        load, outlook = self.load(backend), self.record(backend).outlook
        since = load.waiting_since
        return outlook.forecast(load.in_flight, now, typical, 0.0 if since is None else now - since)

    def snapshot(self, nodes, forecasts, here, facts, in_flight, counts):
        """Return a Snapshot for a policy, with the NodeLoad of each backend in `nodes`.

        `nodes` is {Backend: NodeInstruction}, `forecasts` {Backend: Forecast}, `here` this proxy
        with its `in_flight` requests; `facts` are RequestFacts. `counts` adds what the book counts.
        """
        loads = {}
        for backend, node in nodes.items():
            evidence, forecast = {NodeInstruction: node}, forecasts.get(backend)
            if forecast is not None:
                evidence[Forecast] = forecast
            loads[backend] = (self._counted(backend, evidence) if counts else
                              NodeLoad(evidence=evidence))
        loads[here] = loads[here]._replace(in_flight=in_flight)
        return Snapshot(loads, common={RequestFacts: facts, Backend: here})

    def _counted(self, backend, evidence):
        record, load = self.record(backend), self.load(backend)
        if record.bytes:
            evidence[Traffic] = Traffic(record.bytes)
        return NodeLoad(in_flight=load.in_flight, successes=load.successes,
                        errors=load.errors + load.timeouts,
                        choices=load.choices + record.choices_before,
                        last_turn=load.last_turn, evidence=evidence)
