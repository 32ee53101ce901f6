"""The agent's logic: it reads sensors, signs and keeps reports, and plans each node's shares."""
import math

from swift_lb import instruction_file
from swift_lb.config import endpoint
from swift_lb.errors import AgentError, WireError
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, UP, Report
from swift_lb.plan.decision import state_of
from swift_lb.plan.plan import FIRST_ROUND, plan, with_memory
from swift_lb.plan.smoothing import ramp
from swift_lb.service.decoders import HostDecoders
from swift_lb.service.history import NodeHistory
from swift_lb.service.inbox import Inbox
from swift_lb.service.neighbours import Neighbours
from swift_lb.wire import node_report, signature

UNKEYED = b'no key, no peers'   # signs reports of a node without a key, which no node accepts
NEED_RESTART = ('node', 'bind_ip', 'bind_port', 'http_ip', 'http_port', 'instruction_file')


class Agent:
    """The agent of one node: it reports its load, and plans all nodes' shares from all reports."""

    def __init__(self, options, monitor, knee, clock, wall, log):
        """Take AgentOptions, a LoadMonitor, a Knee, and the functions `clock`, `wall` and `log`.

        The Knee learns how many requests in flight overload this node. `clock()` is monotonic,
        `wall()` the time of day. `log(component, sentence)` is called when a component of the agent
        begins to fail.
        """
        self.options, self.monitor, self.knee = options, monitor, knee
        self.neighbours = Neighbours(options.node)
        self.inbox = Inbox(options.node, keys_of(options), self.neighbours)
        self.history = NodeHistory()
        self.clusters = None        # the daemon's ClusterExchange, if there is [lb-cluster]
        self.decoders = HostDecoders(log)
        self.instruction, self.report, self.datagram = None, None, b''
        self.drained = self.disabled = False
        self.resolved = False       # whether the addresses of the configured peers are known
        self.alerts, self._alerted = 0, False       # in all; since the last tick
        self.faults = {}            # component -> sentence, as long as it fails
        self._clock, self._wall, self._log = clock, wall, log
        self._begun = clock()
        self.inbox.epoch = int(wall() * 1e6)
        self._sequence, self._ticked_at, self._in_service_at = 0, None, self._begun
        self._own = None            # this node's NodeInstruction in the last Instruction
        self._previous = None       # the last Instruction of the agent before this one
        self._resume()

    # -- once an interval

    def tick(self, now):
        """Read the sensors, sign a report, plan, and write the Instruction, once an interval.

        Return the signed report, a datagram for all nodes.
        """
        self._notice_stall(now)
        self.monitor.read(now)
        raw = self.monitor.raw
        if 'in_flight' in raw and 'requests' in raw:
            self.knee.update(raw['in_flight'], raw['requests'])
        self._sign(now)
        self.plan(now)
        self.inbox.forget(self.neighbours.forget(now))
        self.fault('refused', self.inbox.refusals.fault(
            self.neighbours.targets(), now, self.options.plan.late_after * self.options.interval))
        self._ticked_at, self._alerted = now, False
        return self.datagram

    def _sign(self, now):
        self._sequence += 1
        payload = self._encode(self._report(now))
        self.report = self.inbox.keep_own(payload, now)
        self.datagram = signature.sign((self.inbox.keys or (UNKEYED,))[0], payload)

    def _report(self, now):
        adapting = self.options.self_adapting
        return with_memory(Report(
            self.options.node, self.inbox.epoch, self._sequence, self._wall(),
            self.options.interval, self.monitor.reported | self.decoders.metrics(),
            self.options.proxy, self.state,
            ramp(now - self._in_service_at, self.options.ramp),
            self.knee.reject if adapting else None, self.knee.critical if adapting else None,
            rules=self.options.plan.digest(), flows=self.monitor.flows),
            self._own, self.instruction)

    def _encode(self, report):
        try:
            payload = node_report.encode(report, self.neighbours.to_name())
        except WireError as err:
            self.fault('report', str(err))
            return node_report.encode(report._replace(metrics={}, flows=()))
        self.fault('report', None)
        return payload

    def _notice_stall(self, now):
        """Restart the slow growth of this node's share after a stall that made it count as gone.

        A stall is a time without a call of tick().
        """
        late = self.options.plan.gone_after * self.options.interval
        if self._ticked_at is not None and now - self._ticked_at > late:
            self._in_service_at = now

    def alert(self, in_flight, now):
        """Sign and return a report at once, because `in_flight` requests overload this node."""
        self.alerts += 1
        self._alerted = True
        self.monitor.metrics['in_flight'] = float(in_flight)
        self.monitor.forecasts.pop('in_flight', None)   # the count is reported
        return self.report_now(now)

    def report_now(self, now):
        """Report and plan between two calls of tick(); return the signed report, a datagram.

        It repeats the metrics that tick() read: rates over milliseconds would mean nothing.
        """
        self._sign(now)
        self.plan(now)
        return self.datagram

    # -- at any time

    def receive(self, datagrams):
        """Keep the reports in (datagram, sender) pairs; return (number of pairs, number kept)."""
        received, kept, now, wall = 0, 0, self._clock(), self._wall()
        for datagram, address in datagrams:
            received += 1
            kept += self.inbox.receive(datagram, address, now, wall)
        return received, kept

    def plan(self, now):
        """Compute the Instruction, all nodes' shares, from all reports, and write it to its file.

        The first Instruction waits until all peers have reported, at most FIRST_ROUND intervals.
        """
        if self.instruction is None and not self._is_first_round_over(now):
            return
        instruction = self._planned(now)
        if instruction is None:
            return
        self.instruction, self._own = instruction, instruction.of(self.options.node)
        self.history.note(now, instruction, self.inbox.reports)
        self._deliver()

    def _planned(self, now):
        """Return a new Instruction, or None if none can be computed from the reports.

        After None the last Instruction stays in force until it expires.
        """
        try:
            instruction = plan(self.inbox.reports, self.instruction or self._previous, now,
                               self.options.plan)
        except Exception as err:    # the report of some node is not what the plan expects
            self.fault('plan', f'no plan can be made of the reports: {err!r}')
            return None
        self.fault('plan', None)
        return instruction

    def _is_first_round_over(self, now):
        if now - self._begun >= FIRST_ROUND * self.options.interval:
            return True
        missing = set(self.neighbours.configured) - self.neighbours.direct_addresses()
        return self.resolved and not missing

    def _deliver(self):
        try:
            instruction_file.write(self.options.instruction_file, self.instruction)
            self.fault('instruction', None)
        except OSError as err:
            self.fault('instruction', f'{self.options.instruction_file}: {err.strerror or err}; '
                       'proxies and DNS go on without an instruction')

    def next_change(self, now):
        """Return the next instant at which a silent node becomes late or gone, inf if none does."""
        limits = [at + after * report.interval for report, at in self.inbox.reports.values()
                  for after in (self.options.plan.late_after, self.options.plan.gone_after)]
        return min((limit for limit in limits if limit > now), default=math.inf)

    def critical_from(self):
        """Return the number of requests in flight from which this node is critical: overloaded.

        None if there is no limit, or if an alert or the Instruction has already called it critical.
        """
        plan, own = self.options.plan, self._own
        if self._alerted or plan.metric not in ('auto', 'in_flight') or (
                own is None or own.state == CRITICAL):
            return None
        limit = self.knee.critical if plan.critical is None else plan.critical
        return None if limit == math.inf else limit

    @property
    def state(self):
        """The state that this node's reports have: DRAINING, DISABLED or UP."""
        if self.drained:
            return DRAINING
        return DISABLED if self.disabled else UP

    def set_out_of_service(self, drained, disabled):
        """Note whether an operator drains the node, and whether its proxy is out of service."""
        was, self.drained, self.disabled = self.state, drained, disabled
        if was != UP and self.state == UP:
            self._in_service_at = self._clock()

    def address_of(self, node):
        """Return the IP:PORT at which `node` receives reports, or None if it is unknown."""
        if node == self.options.node:
            ip, port = self.options.bind_ip, self.options.bind_port
        elif (address := self.neighbours.address_of(node)) is not None:
            ip, port = address
        else:
            return None
        return endpoint(ip, port)

    def states(self, now):
        """Return {node: its state, such as UP, LATE or GONE} of all nodes that have reported."""
        return {name: state_of(report, now - at, self.options.plan)
                for name, (report, at) in self.inbox.reports.items()}

    def change(self, options, monitor):
        """Use a conf that was read again; raises AgentError if a changed option needs a restart."""
        fixed = [name for name in NEED_RESTART
                 if getattr(options, name) != getattr(self.options, name)]
        if fixed:
            raise AgentError(f'{", ".join(fixed)} can only be changed by a restart')
        self.options, self.monitor = options, monitor
        self.inbox.keys = keys_of(options)

    def fault(self, component, sentence):
        """Note that `component` fails as `sentence` says, and log it; None: it works again."""
        if sentence is None:
            self.faults.pop(component, None)
        elif self.faults.get(component) != sentence:
            self.faults[component] = sentence
            self._log(component, sentence)

    def _resume(self):
        """Go on from the Instruction that this node's previous agent left in its file."""
        last, _why = instruction_file.read(self.options.instruction_file, float('-inf'))
        own = last and last.of(self.options.node)
        if own and own.state != GONE:
            self._previous = last
            if last.expires_at > self._begun:
                self._own, self._in_service_at = own, float('-inf')


def keys_of(options):
    """Return the keys in AgentOptions, as bytes: all verify reports, the first one signs."""
    return tuple(key.encode() for key in (options.key, options.key2) if key)
