"""What an agent does, without sockets and loops: sense, report, hear, plan, deliver."""
import math

from swift_lb import instruction_file
from swift_lb.errors import AgentError, WireError
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, UP, Report
from swift_lb.plan.membership import state_of
from swift_lb.plan.plan import FIRST_ROUND, plan
from swift_lb.plan.smoothing import ramp
from swift_lb.service.history import History
from swift_lb.service.inbox import Inbox
from swift_lb.service.neighbours import Neighbours
from swift_lb.wire import node_report, signature

UNKEYED = b'no key, no peers'   # what a node that is alone signs with, and nobody hears
FIXED = ('node', 'bind_ip', 'bind_port', 'http_ip', 'http_port', 'instruction_file')


class Agent:
    """One node's eyes and its plan."""

    def __init__(self, options, monitor, knee, clock, wall, say):
        """Take AgentOptions, a Monitor, a Knee, both clocks; `say(part, sentence)` tells of faults.
        """
        self.options, self.monitor, self.knee = options, monitor, knee
        self.neighbours = Neighbours(options.node)
        self.inbox = Inbox(options.node, keys_of(options), self.neighbours)
        self.history = History()
        self.instruction, self.report, self.datagram = None, None, b''
        self.drained = self.disabled = False
        self.resolved = False       # whether it is known where the configured peers are
        self.alerts, self._alerted = 0, False       # in all; since the last tick
        self.faults = {}            # part -> sentence, as long as it is so
        self._clock, self._wall, self._say = clock, wall, say
        self._begun = clock()
        self.inbox.epoch = int(wall() * 1e6)
        self._sequence, self._ticked_at, self._in_service_at = 0, None, self._begun
        self._told = None           # our NodeInstruction
        self._previous = None       # the Instruction of the agent before us
        self._resume()

    # -- once an interval

    def tick(self, now):
        """Sense, sign a report, plan and deliver; return the datagram to be sent to everybody."""
        self._notice_stall(now)
        metrics = self.monitor.read(now)
        raw = self.monitor.raw
        if 'in_flight' in raw and 'requests' in raw:
            self.knee.update(raw['in_flight'], raw['requests'])
        self._sign(metrics, now)
        self.plan(now)
        self.inbox.forget(self.neighbours.forget(now))
        self._ticked_at, self._alerted = now, False
        return self.datagram

    def _sign(self, metrics, now):
        self._sequence += 1
        payload = self._encode(self._report(metrics, now))
        self.report = self.inbox.keep_own(payload, now)
        self.datagram = signature.sign((self.inbox.keys or (UNKEYED,))[0], payload)

    def _report(self, metrics, now):
        told, instruction, adapting = self._told, self.instruction, self.options.self_adapting
        report = Report(
            self.options.node, self.inbox.epoch, self._sequence, self._wall(),
            self.options.interval, metrics, self.options.proxy, self.state,
            ramp(now - self._in_service_at, self.options.ramp),
            self.knee.reject if adapting else None, self.knee.critical if adapting else None,
            rules=self.options.plan.digest(), flows=self.monitor.flows)
        if told is not None:
            report = report._replace(told=told.state, weight=told.weight, keep=told.keep,
                                     take=told.take)
        if instruction is not None:
            report = report._replace(generation=instruction.generation, digest=instruction.digest)
        return report

    def _encode(self, report):
        try:
            payload = node_report.encode(report, self.neighbours.news())
        except WireError as err:
            self.fault('report', str(err))
            return node_report.encode(report._replace(metrics={}, flows=()))
        self.fault('report', None)
        return payload

    def _notice_stall(self, now):
        """Begin as a cold node after having been stopped for so long that others saw us gone."""
        late = self.options.plan.gone_after * self.options.interval
        if self._ticked_at is not None and now - self._ticked_at > late:
            self._in_service_at = now

    def alert(self, in_flight, now):
        """Tell at once that so many requests are too many; return the datagram to be sent."""
        self.alerts += 1
        self._alerted = True
        self.monitor.metrics['in_flight'] = float(in_flight)
        return self.tell(now)

    def tell(self, now):
        """Tell at once what has changed, and plan; return the datagram to be sent.

        Nothing is measured: what is counted in seconds says nothing of milliseconds.
        """
        self._sign(self.monitor.metrics, now)
        self.plan(now)
        return self.datagram

    # -- at any time

    def hear(self, datagrams):
        """Take the reports of (datagram, address) pairs; return how many came, and were taken."""
        heard, taken, now, wall = 0, 0, self._clock(), self._wall()
        for datagram, address in datagrams:
            heard += 1
            taken += self.inbox.hear(datagram, address, now, wall)
        return heard, taken

    def plan(self, now):
        """Compute the Instruction of what has been heard, and deliver it."""
        if self.instruction is None and not self._is_first_round_over(now):
            return
        found = self._planned(now)
        if found is None:
            return
        self.instruction, self._told = found, found.of(self.options.node)
        self.history.note(now, found, self.inbox.reports)
        self._deliver()

    def _planned(self, now):
        """Return the Instruction, None where there is none; the last one then expires."""
        try:
            found = plan(self.inbox.reports, self.instruction or self._previous, now,
                         self.options.plan)
        except Exception as err:    # some node's report is stranger than we have thought of
            self.fault('plan', f'no plan can be made of the reports: {err!r}')
            return None
        self.fault('plan', None)
        return found

    def _is_first_round_over(self, now):
        if now - self._begun >= FIRST_ROUND * self.options.interval:
            return True
        missing = set(self.neighbours.configured) - self.neighbours.addresses_heard()
        return self.resolved and not missing

    def _deliver(self):
        try:
            instruction_file.write(self.options.instruction_file, self.instruction)
            self.fault('instruction', None)
        except OSError as err:
            self.fault('instruction', f'{self.options.instruction_file}: {err.strerror or err}; '
                       'proxies and DNS go on without an instruction')

    def next_change(self, now):
        """Return the next instant when a node is late or gone if nothing comes of it, or inf."""
        limits = [at + after * report.interval for report, at in self.inbox.reports.values()
                  for after in (self.options.plan.late_after, self.options.plan.gone_after)]
        return min((limit for limit in limits if limit > now), default=math.inf)

    def critical_from(self):
        """Return from how many requests on this node is critical; None: from none, or it was told.
        """
        plan, told = self.options.plan, self._told
        if self._alerted or plan.metric not in ('auto', 'in_flight') or (
                told is None or told.state == CRITICAL):
            return None
        limit = self.knee.critical if plan.critical is None else plan.critical
        return None if limit == math.inf else limit

    @property
    def state(self):
        """What this node says of itself."""
        if self.drained:
            return DRAINING
        return DISABLED if self.disabled else UP

    def set_out_of_service(self, drained, disabled):
        """Note whether the node is drained by hand, or its proxy's healthcheck disabled."""
        was, self.drained, self.disabled = self.state, drained, disabled
        if was != UP and self.state == UP:
            self._in_service_at = self._clock()

    def address_of(self, node):
        """Return IP:PORT where a node hears reports, None where it is not known."""
        if node == self.options.node:
            ip, port = self.options.bind_ip, self.options.bind_port
        elif (address := self.neighbours.address_of(node)) is not None:
            ip, port = address
        else:
            return None
        return f'[{ip}]:{port}' if ':' in ip else f'{ip}:{port}'

    def states(self, now):
        """Return {name: state} of all that have been heard."""
        return {name: state_of(report, now - at, self.options.plan)
                for name, (report, at) in self.inbox.reports.items()}

    def change(self, options, monitor):
        """Go on by other options; raises AgentError for what can only be had by a restart."""
        fixed = [name for name in FIXED if getattr(options, name) != getattr(self.options, name)]
        if fixed:
            raise AgentError(f'{", ".join(fixed)} can only be changed by a restart')
        self.options, self.monitor = options, monitor
        self.inbox.keys = keys_of(options)

    def fault(self, part, sentence):
        """Note that `part` is at fault, or, with None, no more."""
        if sentence is None:
            self.faults.pop(part, None)
        elif self.faults.get(part) != sentence:
            self.faults[part] = sentence
            self._say(part, sentence)

    def _resume(self):
        """Go on where an agent of this node has left off a moment ago, if one has."""
        found, _why = instruction_file.read(self.options.instruction_file, float('-inf'))
        own = found and found.of(self.options.node)
        if own and own.state != GONE:
            self._previous = found
            if found.expires_at > self._begun:
                self._told, self._in_service_at = own, float('-inf')


def keys_of(options):
    """Return the keys that are good, the one that signs first."""
    return tuple(key.encode() for key in (options.key, options.key2) if key)


