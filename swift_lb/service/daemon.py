"""`swift-lb-agent`, the process: its loop, sockets, and reactions to signals and operators."""
import contextlib
import gc
import pathlib

from swift_lb import clock
from swift_lb.concurrency import sleep, spawn, use_precise_hub, wsgi
from swift_lb.config import endpoint
from swift_lb.errors import AgentError, ConfigError
from swift_lb.plan.forecast.loads import forecast_metrics
from swift_lb.plan.knee import Knee
from swift_lb.service import local_proxy, options
from swift_lb.service.agent import Agent
from swift_lb.service.exposition import COUNTERS, GAUGES, PREFIX, values
from swift_lb.service.http import AgentHttp
from swift_lb.service.mesh import Mesh, fetch_report
from swift_lb.service.monitor import DelegationRates, LoadMonitor, delegated_counts
from swift_lb.service.name_server import NameServer
from swift_lb.service.process import ServiceDaemon, listening, peers_text, run
from swift_lb.service.prometheus import PrometheusText
from swift_lb.service.sensing import directed, metrics_of
from swift_lb.service.summaries import Summaries, check_clusters

WATCH_INTERVAL = 0.1        # seconds between two checks of this node's requests in flight
RECEIVE_INTERVAL = 0.25     # seconds between two reads of the socket: many at once cost less each
FLOOD = 1000                # datagrams of one read, from which the next read follows at once
RESOLVE_INTERVAL = 60.0     # seconds between two look-ups of the names of peers
LOG_INTERVAL = 60.0         # seconds between two log lines about one component that fails


class LbAgent(ServiceDaemon):
    """The daemon swift-lb-agent: it measures its node, exchanges reports, and plans."""

    def __init__(self, conf):
        super().__init__(conf)
        self._logged_at = {}
        self.options, self._facts, self._book, monitor = self._read()
        self._check = local_proxy.ProxyCheck(local_proxy.address_of(self.options, self._facts))
        self._dns = NameServer(self._path)
        self.agent = Agent(self.options, monitor, Knee(), clock.monotonic, clock.wall, self._log)
        # Before the daemon drops root: a large buffer, and ports below 1024.
        self._mesh = Mesh(self.options.bind_ip, self.options.bind_port)
        self._listener = listening(self.options, AgentError)
        self._summaries = self.options.cluster and Summaries(
            self.options.cluster, self.agent, clock.monotonic, clock.wall, self._facts['swift_dir'])

    def _read(self):
        """Return (AgentOptions, options of the proxy's conf, the proxy's ProxyBook, a LoadMonitor).

        Raises ConfigError. The running agent is not changed.
        """
        conf = options.read(self._path)
        facts = local_proxy.proxy_facts(conf.proxy_conf)
        book = local_proxy.ProxyBook(local_proxy.book_of(conf.proxy_conf, facts), clock.monotonic)
        conf = local_proxy.with_proxy(conf, facts)
        sensors, dampenings = metrics_of(conf, book, self._path)
        flows = DelegationRates(local_proxy.ProxyBook(
            local_proxy.dispatch_book_of(conf.proxy_conf, facts), clock.monotonic,
            delegated_counts))
        monitor = LoadMonitor(
            sensors, dampenings, conf.dampening,
            lambda name, err: self._log(f'metric {name}', f'metric {name}: {err!r}'), flows,
            forecast_metrics(conf.forecast, conf.plan))
        return directed(conf, sensors), facts, book, monitor

    def run_once(self, *_args, **_kwargs):
        """Measure twice, an interval apart, and log the second report, which is not sent."""
        now = clock.monotonic()
        self.agent.tick(now)
        sleep(self.options.interval)
        self.agent.tick(now + self.options.interval)
        self.logger.info('%s: %s', self.options.node, self.agent.report)

    def run_forever(self, *_args, **_kwargs):
        """Measure, report, plan and serve HTTP until the process ends."""
        use_precise_hub()
        self._say_start('swift-lb-agent', *facts_of(self.options))
        gc.freeze()     # objects made so far stay: the collector need not look at them again
        self._await_hangup()
        self._drain_file = pathlib.Path(self.options.instruction_file + '.drained')
        spawn(self._resolve_for_ever)
        spawn(self._check_for_ever)
        spawn(self._ask_decoders_for_ever)
        if self._summaries:
            self._summaries.start()
        exposition = PrometheusText(PREFIX, COUNTERS, GAUGES, lambda: values(
            self.agent, self._mesh.traffic, clock.monotonic()))
        spawn(wsgi.server, self._listener,
              AgentHttp(self.agent, exposition, self._drain, clock.monotonic, self._dns),
              log_output=False, debug=False)
        self._tick_at = self._receive_at = self._change_at = clock.monotonic()
        while True:
            sleep(self._pause(clock.monotonic()))
            self._run_due(clock.monotonic())

    def _pause(self, now):
        """Return the seconds until something is due; 0 during a flood of datagrams.

        To save processor time, requests in flight are watched only if this node can become
        critical.
        """
        due = min(self._receive_at, self._tick_at, self._change_at) - now
        return max(0.0, min(due, WATCH_INTERVAL) if self.agent.critical_from() is not None else due)

    def _run_due(self, now):
        """Do what is due at `now`: receive, report and plan, or watch the requests in flight."""
        if now >= min(self._receive_at, self._tick_at):
            received, kept = self.agent.receive(self._mesh.receive())
            is_calm = received < FLOOD and received == kept
            self._receive_at = now + RECEIVE_INTERVAL if is_calm else 0.0
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
        self._update_service_state()
        self._send(self.agent.tick(now))

    def _update_service_state(self):
        """Note whether the node is drained, and its proxy disabled or failing its check."""
        disabled = (local_proxy.is_disabled(self._facts['disable_path'])
                    or self._check.fault is not None)
        drained = self.agent.drained
        with contextlib.suppress(OSError):
            drained = self._drain_file.exists()
        self.agent.set_out_of_service(drained, disabled)

    def _send(self, datagram):
        targets = self.agent.neighbours.targets()
        if self.options.mode == 'push':
            self._mesh.send(datagram, targets)
        else:
            for target in targets:
                spawn(self._pull, target)

    def _watch(self, now):
        """Send an alert if this node has become critical: it has too many requests in flight."""
        limit = self.agent.critical_from()
        totals = None if limit is None else self._book()
        if totals is not None and totals.in_flight >= limit:
            self._send(self.agent.alert(totals.in_flight, now))

    def _pull(self, target):
        ip, port = target
        datagram = fetch_report(ip, port + self.options.http_port - self.options.bind_port,
                                self.options.http_key, self.options.interval)
        if datagram is not None:
            self.agent.receive([(datagram, target)])

    # -- requests of an operator

    def _drain(self, yes):
        if yes:
            self._drain_file.touch()
        else:
            with contextlib.suppress(FileNotFoundError):
                self._drain_file.unlink()
        self._update_service_state()
        self._send(self.agent.report_now(clock.monotonic()))

    def _reread(self):
        self._reload = False
        try:
            conf, facts, book, monitor = self._read()
            check_clusters(self.options.cluster, conf.cluster)
            self.agent.change(conf, monitor)
        except (ConfigError, AgentError) as err:
            self.agent.fault('conf', f'not reloaded: {err.on_one_line}')
            return
        self.agent.fault('conf', None)
        self.options, self._facts, self._book = conf, facts, book
        self._check.address = local_proxy.address_of(conf, facts)
        self._dns.read()
        if self._summaries and conf.cluster:
            self._summaries.exchange.options = conf.cluster
            self._summaries.swift_dir = facts['swift_dir']
        spawn(self._resolve)
        self.logger.info('%s has been read again', self._path)

    def _check_for_ever(self):
        while True:
            self._check.check()
            self.agent.fault('proxy', self._check.fault)
            sleep(self.options.interval)

    def _ask_decoders_for_ever(self):
        while True:
            self.agent.decoders.ask(self.options.image_socket, clock.monotonic())
            sleep(self.options.interval)

    def _resolve_for_ever(self):
        while True:
            self._resolve()
            sleep(RESOLVE_INTERVAL)

    def _resolve(self):
        peers = self.options.peers
        addresses, faults = self._mesh.resolve(peers)
        if peers != self.options.peers:
            return      # the conf was read again meanwhile, and its peers are being resolved
        self.agent.neighbours.configured, self.agent.resolved = tuple(addresses), True
        if self._summaries:
            self.agent.fault('cluster peers', '; '.join(self._summaries.resolve()) or None)
        self.agent.fault('peers', '; '.join(faults) or None)

    def _log(self, component, sentence):
        now = clock.monotonic()
        if now - self._logged_at.get(component, float('-inf')) >= LOG_INTERVAL:
            self._logged_at[component] = now
            self.logger.warning('swift-lb-agent: %s', sentence)


def facts_of(options):
    """Return texts that say what the AgentOptions of an agent are, for its log, without keys."""
    cluster = options.cluster
    return (f'node {options.node}',
            f'reports by UDP at {endpoint(options.bind_ip, options.bind_port)}',
            f'HTTP at {endpoint(options.http_ip, options.http_port)}', peers_text(options.peers),
            f'mode {options.mode}', f'rules {options.plan.rules}',
            *([f'cluster {cluster.name}'] if cluster else []))


def main():
    """Run the agent's daemon; the first argument of the command is its conf file."""
    run(LbAgent, options)
