"""The gate of a slowed node: requests hang, queue and are delayed here before Swift gets them."""
from collections import Counter, defaultdict

from swift_lb.clock import monotonic
from swift_lb.concurrency import Semaphore, sleep, spawn
from swift_lb.lab.rules import NODE, NodeRules
from swift_lb.lab.rules_file import CHECK_INTERVAL
from swift_lb.lab.slot_queue import SlotQueue, service_times, stream


class ClientGoneError(Exception):
    """The client closed its connection while its request hung or queued in a Gate."""


class GateVisit:
    """One request that a Gate delays: it hangs, waits for one of the node's slots, or has one."""

    def __init__(self, method, device, connected):
        """Take the HTTP `method` of the request, and the name of the `device` that it is for.

        `connected()` returns whether the client's connection is still open.
        """
        self.method, self.device, self.connected = method, device, connected
        self._bell = Semaphore(0)

    def wait(self, timeout=None):
        """Sleep until another greenthread calls ring(), or for `timeout` seconds if it is given."""
        self._bell.acquire(timeout=timeout)

    def ring(self):
        """Wake the request that sleeps in wait(), so that it checks again whether it may go on."""
        self._bell.release()


class Gate:
    """The queues, hanging requests and counts of a node: the state of its filter lb_handicap."""

    def __init__(self, node, watched):
        """Take the node's number, and `watched`, the WatchedRules by which requests are delayed."""
        self._node, self._watched = node, watched
        self._rules = NodeRules()
        self._queues = defaultdict(SlotQueue)      # scope -> its queue
        self._luck = {}                            # scope -> random.Random that decides on `fail`
        self._visits, self._hanging, self._gone = set(), set(), set()
        self._watching = False
        self._served = defaultdict(Counter)        # device -> method -> count of passed requests
        self._ended = defaultdict(Counter)         # device -> failed, gone

    def admit(self, visit):
        """Delay the request `visit`, then return None; or return the HTTP status that refuses it.

        Raises ClientGoneError if the client leaves while the request hangs or queues. A request in
        service continues: a disk does not stop reading when a client leaves.
        """
        self.refresh()
        if status := self._bad_luck(visit):
            self._ended[visit.device]['failed'] += 1
            return status
        self._visits.add(visit)
        self._watch()
        try:
            self._hang(visit)
            for scope, _rule in self._applying(visit):
                self._serve(self._queues[scope], visit)
        except ClientGoneError:
            self._ended[visit.device]['gone'] += 1
            raise
        finally:
            self._visits.discard(visit)
            self._gone.discard(visit)
        self._served[visit.device][visit.method] += 1
        return None

    def shape(self, visit):
        """Return the limits of the body that answers `visit`; None is no limit.

        They are (bytes per second, bytes after which the body breaks off).
        """
        rules = [rule for _scope, rule in self._applying(visit)]
        rates = [rule.slow_stream for rule in rules if rule.slow_stream]
        cuts = [rule.cut for rule in rules if rule.cut]
        return min(rates, default=None), min(cuts, default=None)

    def report(self):
        """Return a dict for JSON: the node's rules, and the counts of requests to each device."""
        self.refresh()
        devices = {*self._served, *self._ended, *(v.device for v in self._visits),
                   *self._rules.scopes} - {NODE}
        return {'node': self._node, 'rules': self._watched.document,
                'devices': {device: self._counts(device) for device in sorted(devices)}}

    def _counts(self, device):
        in_service = sum(visit.device == device for queue in self._queues.values()
                         for visit in queue.ends)
        queued = sum(visit.device == device for queue in self._queues.values()
                     for visit, _came in queue.waiting)
        hanging = sum(visit.device == device for visit in self._hanging)
        ended, served = self._ended[device], self._served[device]
        return {'served': sum(served.values()), 'failed': ended['failed'], 'gone': ended['gone'],
                'in_service': in_service, 'queued': queued, 'hanging': hanging,
                'by_method': dict(served)}

    def refresh(self):
        """Apply the rules in the node's rules file, if the file has changed since the last call."""
        if not self._watched.changed(monotonic()):
            return
        before, self._rules = self._rules, self._watched.rules
        for scope in {*before.scopes, *self._rules.scopes}:
            rule = self._rules.scopes.get(scope)
            if (rule, self._rules.seed) != (before.scopes.get(scope), before.seed):
                self._reset(scope, rule)
        for visit in self._hanging:
            visit.ring()

    def _reset(self, scope, rule):
        """Apply the changed `rule`, None for none, to `scope`: a device's name, or '' for the node.

        Its random numbers begin again from the seed, so that runs repeat exactly.
        """
        key = (self._rules.seed, self._node, scope or 'node')
        self._luck[scope] = stream(*key, 'fail')
        timed = rule is not None and rule.mean is not None
        times = service_times(rule, stream(*key)) if timed else None
        for visit in self._queues[scope].configure(rule.slots if timed else None, times,
                                                   monotonic()):
            visit.ring()

    def _applying(self, visit):
        return self._rules.of(visit.device, visit.method)

    def _bad_luck(self, visit):
        for scope, rule in self._applying(visit):
            if rule.fail and self._luck[scope].random() < rule.fail:
                return rule.status
        return None

    def _hang(self, visit):
        self._hanging.add(visit)
        try:
            while any(rule.hang for _scope, rule in self._applying(visit)):
                self._wait(visit)
        finally:
            self._hanging.discard(visit)

    def _serve(self, queue, visit):
        queue.arrive(visit, monotonic())
        try:
            while queue.end(visit) is None:
                self._wait(visit)
            while (left := queue.end(visit) - monotonic()) > 0:
                visit.wait(left)
        finally:
            for started in queue.leave(visit, monotonic()):
                started.ring()

    def _wait(self, visit):
        visit.wait()
        if visit in self._gone:
            raise ClientGoneError

    def _watch(self):
        """Check for lost clients and new rules in a greenthread while requests are at the gate."""
        if not self._watching:
            self._watching = True
            spawn(self._look_after)

    def _look_after(self):
        try:
            while self._visits:
                sleep(CHECK_INTERVAL)
                self.refresh()
                for visit in [*self._visits]:
                    if not visit.connected():
                        self._gone.add(visit)
                        visit.ring()
        finally:
            self._watching = False
