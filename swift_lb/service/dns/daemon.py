"""`swift-lb-dns`: the daemon, which starts and watches the processes of the DNS service."""
import dataclasses
import gc
import os
import random
import resource
import secrets
from functools import partial
from socket import AF_UNIX, SOCK_DGRAM, socketpair

from swift_lb import clock
from swift_lb.concurrency import sleep, spawn, use_precise_hub
from swift_lb.config import endpoint
from swift_lb.errors import ConfigError, NameServerError
from swift_lb.service.dns import options
from swift_lb.service.dns.keys import COOKIE_KEY
from swift_lb.service.dns.sockets import bound
from swift_lb.service.dns.status import Status
from swift_lb.service.dns.tcp import Tcp
from swift_lb.service.dns.udp import Udp
from swift_lb.service.dns.update import Updater
from swift_lb.service.dns.worker import CHECK_INTERVAL, DnsWorker, Heartbeats
from swift_lb.service.kernel import drop_capabilities
from swift_lb.service.process import ServiceDaemon, listening, run
from swift_lb.zone.records import text_of
from swift_lb.zone.responder import Responder
from swift_lb.zone.sampling import start_of
from swift_lb.zone.sequence import PUSHING

SPARE_FILES = 256       # open files in addition to connections
STARTING = 25.0         # seconds until a new process' first step; later steps take milliseconds
NEED_RESTART = ('bind_ip', 'bind_port', 'workers', 'http_ip', 'http_port')


def allow_files(count):
    """Raise this process' limit of open files to `count`, or as far as permitted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class LbDns(ServiceDaemon):
    """One node's DNS service: UDP, TCP and status processes; update and status in rfc2136."""

    WORKERS_HEALTHCHECK_INTERVAL = 0.5      # seconds until a dead process is restarted

    def __init__(self, conf):
        super().__init__(conf)
        # Used if no key is set: valid on this node only, and until the next restart.
        self._spare_key = secrets.token_bytes(COOKIE_KEY)
        self.options = self._read()
        # Before root is dropped: ports below 1024 and the limit of open files need it.
        allow_files(self.options.tcp_clients + SPARE_FILES)
        self._datagrams, self._listeners = ([], []) if self.options.mode == PUSHING else bound(
            self.options, partial(self.logger.warning, 'swift-lb-dns: %s'))
        self._looked_at = listening(self.options, NameServerError, reuse_port=False)
        self._report_end, self._status_end = socketpair(AF_UNIX, SOCK_DGRAM)
        self._report_end.setblocking(False)
        self._heartbeats = Heartbeats(self.options.workers + 2)     # UDP, TCP, status
        # Here, not in a process of the service: one line for all of them.
        self._say_start('swift-lb-dns', *facts_of(self.options))

    def _read(self):
        parsed = options.read(self._path)
        return parsed if parsed.cookie_keys else dataclasses.replace(
            parsed, cookie_keys=(self._spare_key,))

    def get_worker_args(self, once=False, **kwargs):
        """Return a list of dicts, run_forever's arguments, one for each process to start."""
        self._await_hangup()
        self._drop_capabilities()
        roles = [{'role': 'update'}] if self.options.mode == PUSHING else [
            {'role': 'tcp'}, *({'role': 'udp', 'number': number}
                               for number in range(self.options.workers))]
        return [kwargs | role for role in (*roles, {'role': 'status'})]

    def _drop_capabilities(self):
        """Drop the capabilities for low ports and large buffers, unless the user is root."""
        try:
            if os.geteuid() != 0:
                drop_capabilities()
        except OSError as err:
            self.logger.warning('swift-lb-dns: capabilities can not be dropped: %s', err.strerror)

    def is_healthy(self):
        """Kill hung processes; return False, to have all restarted, if SIGHUP gave a new conf."""
        self._heartbeats.bury()
        for pid in self._heartbeats.end_silent(clock.monotonic()):
            self.logger.error('swift-lb-dns: process %s hung, and was ended', pid)
        hung_up, self._reload = self._reload, False
        if not (hung_up and self._reread()):
            return True
        self._heartbeats.leave()
        return False

    def run_once(self, *args, **kwargs):
        """Do the same as run_forever, because a server does not end after one turn."""
        self.run_forever(*args, **kwargs)

    def run_forever(self, role='udp', number=0, **_kwargs):
        """Run one process until it ends: `role` is udp (with a number), tcp, update or status."""
        place = {'status': self.options.workers + 1, 'tcp': self.options.workers}.get(role, number)
        # First of all, so that a process which hangs while it starts is replaced too.
        self._heartbeats.beat(place, clock.monotonic() + STARTING)
        gc.freeze()     # permanent objects need not be scanned again
        if role == 'status':
            Status(self.options, self.logger).serve(self._status_end, self._looked_at,
                                                    self._beat(place))
        elif role == 'udp':
            self._serve_udp(number)
        else:
            use_precise_hub()
            step = self._update(place) if role == 'update' else self._serve_tcp(place)
            while True:
                step()
                sleep(CHECK_INTERVAL)

    def _serve_udp(self, number):
        responder = self._responder(number)
        worker = self._worker(f'udp{number}', number, responder)
        udp = Udp(self._datagrams[number], responder.udp, clock.monotonic, worker.report_fault)
        udp.serve_for_ever(worker.step, CHECK_INTERVAL)

    def _serve_tcp(self, place):
        responder = self._responder(place)
        worker = self._worker('tcp', place, responder)
        tcp = Tcp(responder.tcp, self.options.tcp_clients, self.options.tcp_timeout,
                  worker.report_fault)
        for listener in self._listeners:
            spawn(tcp.accept_for_ever, listener)
        return worker.step

    def _update(self, place):
        updater = Updater(self.options)
        worker = self._worker('update', place, updater)
        spawn(updater.run_for_ever, worker.report_fault)
        return worker.step

    def _responder(self, number):
        start = start_of(self.options.node, list(self.options.proxies), number)
        return Responder(self.options, start, random.Random(), clock.wall)

    def _worker(self, name, place, task):
        return DnsWorker(name, task, self.options.instruction_file, clock.monotonic,
                         self._report_end, self._beat(place))

    def _beat(self, place):
        return partial(self._heartbeats.beat, place)

    def _reread(self):
        """Read the conf file again; return whether it is valid and needs no restart."""
        try:
            changed = self._read()
            fixed = [name for name in NEED_RESTART
                     if getattr(changed, name) != getattr(self.options, name)]
            if (changed.mode == PUSHING) != (self.options.mode == PUSHING):
                fixed.append(f'mode, from or to {PUSHING},')
            if fixed:
                raise NameServerError(f'{", ".join(fixed)} can only be changed by a restart')
        except (ConfigError, NameServerError) as err:
            self.logger.error('swift-lb-dns: %s not reloaded: %s', self._path,
                              err.on_one_line)
            return False
        self.options = changed
        self.logger.info('%s has been read again', self._path)
        return True


def facts_of(options):
    """Return texts that say what the DnsOptions of a service are, for its log, without keys."""
    pushes = options.mode == PUSHING
    where = [endpoint(*options.update_server)] if pushes else [
        endpoint(ip, options.bind_port) for ip in options.bind_ip]
    return (f'node {options.node}', f'zone {text_of(options.zone)}',
            f'{"updates" if pushes else "DNS at"} {" ".join(where)}',
            f'HTTP at {endpoint(options.http_ip, options.http_port)}', f'mode {options.mode}')


def main():
    """Run the DNS daemon; the first argument of the command is its conf file."""
    run(LbDns, options)
