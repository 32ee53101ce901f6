"""`swift-lb-agent`: the process. A Swift Daemon, started by swift-init or systemd."""
import contextlib
import gc
import os
import pathlib
import signal
import sys

from swift.common.daemon import Daemon, run_daemon
from swift.common.utils import parse_options, set_swift_dir

from swift_lb import clock
from swift_lb.concurrency import listen, sleep, spawn, use_precise_hub, wsgi
from swift_lb.errors import AgentError, ConfigError
from swift_lb.plan.knee import Knee
from swift_lb.service import options, pull
from swift_lb.service.agent import Agent
from swift_lb.service.exposition import Exposition
from swift_lb.service.flows import Flows, handed_on
from swift_lb.service.http import Http
from swift_lb.service.mesh import Mesh
from swift_lb.service.monitor import Monitor
from swift_lb.service.name_server import NameServer
from swift_lb.service.proxy_book import ProxyBook, book_of, dispatch_book_of
from swift_lb.service.proxy_check import ProxyCheck, address_of
from swift_lb.service.sensing import directed, metrics_of
from swift_lb.service.sensors.disable_file import DisableFile

POLL = 0.1          # seconds between two looks at the requests of this node
HEAR = 0.25         # likewise, for datagrams: the more at once, the less each costs
BUSY = 1000         # datagrams at once after which the next look follows at once; or one bad one
RESOLVE = 60.0      # seconds between two looks for what names of peers mean
SAY = 60.0          # seconds between two log lines about one fault


class LbAgent(Daemon):
    """One node's agent."""

    def __init__(self, conf):
        super().__init__(conf)
        set_swift_dir(conf.get('swift_dir', '/etc/swift'))
        self._path = conf['__file__']
        self._said, self._reload = {}, False
        self.options, facts, self._book, monitor = self._read()
        self._disable = DisableFile(facts['disable_path'])
        self._check = ProxyCheck(address_of(self.options, facts))
        self._dns = NameServer(self._path)
        self.agent = Agent(self.options, monitor, Knee(), clock.monotonic, clock.wall, self._say)
        # While we may be root: a large buffer, and ports below 1024.
        self._mesh = Mesh(self.options.bind_ip, self.options.bind_port)
        self._listener = self._listen()

    def _read(self):
        """Return (AgentOptions, the facts of the proxy's conf, its ProxyBook, a Monitor).

        Nothing of the agent is changed: ConfigError, if something is wrong, comes before that.
        """
        found = options.read(self._path)
        facts = options.proxy_facts(found.proxy_conf)
        book = ProxyBook(book_of(found.proxy_conf, facts), clock.monotonic)
        found = options.with_proxy(found, facts)
        sensors, dampenings = metrics_of(found, book)
        flows = Flows(ProxyBook(dispatch_book_of(found.proxy_conf, facts), clock.monotonic,
                                handed_on))
        monitor = Monitor(sensors, dampenings, found.dampening, lambda name, err: self._say(
            f'metric {name}', f'metric {name}: {err!r}'), flows)
        return directed(found, sensors), facts, book, monitor

    def _listen(self):
        ip, port = self.options.http_ip, self.options.http_port
        try:
            return listen((ip, port), family=10 if ':' in ip else 2)
        except OSError as err:
            raise AgentError(f'http_ip = {ip}, http_port = {port}: '
                             f'{err.strerror or err}') from None

    def run_once(self, *_args, **_kwargs):
        """Look once at what there is, and say it."""
        now = clock.monotonic()
        self.agent.tick(now)
        sleep(self.options.interval)
        self.agent.tick(now + self.options.interval)
        self.logger.info('%s: %s', self.options.node, self.agent.report)

    def run_forever(self, *_args, **_kwargs):
        """Serve until the process is ended."""
        use_precise_hub()
        gc.freeze()     # what there is stays: nobody need look through it again and again
        signal.signal(signal.SIGHUP, self._on_hangup)
        self._drain_file = pathlib.Path(self.options.instruction_file + '.drained')
        spawn(self._resolve_for_ever)
        spawn(self._check_for_ever)
        exposition = Exposition(self.agent, self._mesh.traffic, clock.monotonic)
        spawn(wsgi.server, self._listener,
              Http(self.agent, exposition, self._drain, clock.monotonic, self._dns),
              log_output=False, debug=False)
        self._tick_at = self._hear_at = self._change_at = clock.monotonic()
        while True:
            sleep(self._pause(clock.monotonic()))
            self._turn(clock.monotonic())

    def _pause(self, now):
        """Return the seconds until something is due; 0 while datagrams pour in.

        The less often the process wakes the less it costs: it watches its requests only if there is
        a number of them that would make it critical.
        """
        due = min(self._hear_at, self._tick_at, self._change_at) - now
        return max(0.0, min(due, POLL) if self.agent.critical_from() is not None else due)

    def _turn(self, now):
        """Do what is due at the instant `now`."""
        if now >= min(self._hear_at, self._tick_at):
            heard, taken = self.agent.hear(self._mesh.receive())
            self._hear_at = now + HEAR if heard < BUSY and heard == taken else 0.0
        if now >= self._tick_at:
            self._tick(now)
            self._tick_at = max(self._tick_at + self.options.interval, now)
            self._change_at = self.agent.next_change(now)
        elif now >= self._change_at:
            self.agent.plan(now)
            self._change_at = self.agent.next_change(now)
        else:
            self._watch(now)

    def _tick(self, now):
        if self._reload:
            self._reread()
        self._look_whether_in_service(now)
        self._send(self.agent.tick(now))

    def _look_whether_in_service(self, now):
        disabled, drained = self._disable.read(now) or self._check.fault is not None, None
        with contextlib.suppress(OSError):
            drained = self._drain_file.exists()
        self.agent.set_out_of_service(self.agent.drained if drained is None else drained, disabled)

    def _send(self, datagram):
        targets = self.agent.neighbours.targets()
        if self.options.mode == 'push':
            self._mesh.send(datagram, targets)
        else:
            for target in targets:
                spawn(self._pull, target)

    def _watch(self, now):
        """Tell at once when this node has become critical."""
        limit = self.agent.critical_from()
        totals = None if limit is None else self._book()
        if totals is not None and totals.in_flight >= limit:
            self._send(self.agent.alert(totals.in_flight, now))

    def _pull(self, target):
        ip, port = target
        datagram = pull.report(ip, port + self.options.http_port - self.options.bind_port,
                               self.options.http_key, self.options.interval)
        if datagram is not None:
            self.agent.hear([(datagram, target)])

    # -- what is asked of it

    def _drain(self, yes):
        if yes:
            self._drain_file.touch()
        else:
            with contextlib.suppress(FileNotFoundError):
                self._drain_file.unlink()
        now = clock.monotonic()
        self._look_whether_in_service(now)
        self._send(self.agent.tell(now))

    def _on_hangup(self, _number, _frame):
        self._reload = True

    def _reread(self):
        self._reload = False
        try:
            found, facts, book, monitor = self._read()
            self.agent.change(found, monitor)
        except (ConfigError, AgentError) as err:
            self.agent.fault('conf', f'not reloaded: {err}')
            return
        self.agent.fault('conf', None)
        self.options, self._book = found, book
        self._check.address = address_of(found, facts)
        self._dns.read()
        self._disable = DisableFile(facts['disable_path'])
        spawn(self._resolve)
        self.logger.info('%s has been read again', self._path)

    def _check_for_ever(self):
        while True:
            self._check.look()
            self.agent.fault('proxy', self._check.fault)
            sleep(self.options.interval)

    def _resolve_for_ever(self):
        while True:
            self._resolve()
            sleep(RESOLVE)

    def _resolve(self):
        peers = self.options.peers
        found, faults = self._mesh.resolve(peers)
        if peers != self.options.peers:
            return      # the conf has been read again meanwhile, and is being resolved
        self.agent.neighbours.configured, self.agent.resolved = tuple(found), True
        self.agent.fault('peers', '; '.join(faults) or None)

    def _say(self, part, sentence):
        now = clock.monotonic()
        if now - self._said.get(part, float('-inf')) >= SAY:
            self._said[part] = now
            self.logger.warning('swift-lb-agent: %s', sentence)


def main():
    """Run the daemon; its conf file is the first argument."""
    conf_file, passed = parse_options(once=True)
    try:
        options.read(conf_file)
        run_daemon(LbAgent, conf_file, section_name=options.SECTION, **passed)
    except (ConfigError, AgentError) as err:
        sys.exit(f'{os.path.basename(sys.argv[0])}: {err}')
