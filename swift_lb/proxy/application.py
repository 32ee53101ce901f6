"""`egg:swift-lb#proxy`: Swift's proxy app, which reads first the replica expected to be quickest.

    [app:proxy-server]
    use = egg:swift-lb#proxy

Every option of Swift's app holds as before; ours begin with lb_ and are in
etc/proxy-server.conf-sample. To go back, write egg:swift#proxy again.
"""
import os
import random

from swift.common.wsgi import ConfigFileError

from swift_lb import clock
from swift_lb.book_path import path_of
from swift_lb.concurrency import sleep, spawn
from swift_lb.errors import SwiftLBError
from swift_lb.metrics import Metrics, gauge_sink
from swift_lb.policy import kinds_of
from swift_lb.proxy import in_force, seam
from swift_lb.proxy.guard import Guard
from swift_lb.proxy.host_book import HostBook, worker_number
from swift_lb.proxy.paste_conf import entry_of, leaves
from swift_lb.proxy.policy_sections import policy_sections, read_defaults
from swift_lb.proxy.recorder import ReadRecorder
from swift_lb.proxy.replicas import ReplicaOrder
from swift_lb.proxy.requests import CountedRequest, answer
from swift_lb.proxy.ring_nodes import unknown_weights
from swift_lb.replica_options import replica_options

ATTEND_EVERY = 1.0      # seconds: the reads of a dead worker are forgotten within two


class LBApplication(seam.SeamApplication):
    """Swift's proxy app, which orders an object's replicas by the measured load of their nodes."""

    def __init__(self, conf=None, *args, **kwargs):
        super().__init__(conf, *args, **kwargs)
        conf = conf or {}
        options = replica_options(conf, conf.get('policy_config', {}), conf.get('__file__', 'conf'),
                                  conf.get('default_config', {}))
        self._interval = options[None].metrics_interval
        self._begun, self._number = False, None
        kinds = kinds_of(chosen.policy for chosen in options.values())
        self.host_book = HostBook(lambda: self._book_path(conf), kinds, clock.monotonic)
        self._conf_file = conf.get('__file__')
        metrics = self._metrics(conf, options)
        self.guard = Guard(metrics, self.logger, clock.monotonic)
        self.replicas = ReplicaOrder(options, self.host_book.book, metrics, clock.monotonic,
                                     random.Random(), self.guard.fall_back)
        self.recorder = ReadRecorder(self.replicas)

    def _book_path(self, conf):
        if not self.replicas.active:
            return None
        return path_of(self.replicas.options_of(None).book, conf.get('__file__'), os.geteuid())

    def _metrics(self, conf, options):
        if not conf.get('log_statsd_host'):
            return Metrics(None, None, None)
        return Metrics(self.logger, self.labeled_statsd(conf), gauge_sink(conf),
                       in_force.labels(options))

    def say_start(self, contexts):
        """Log what is in force, once in the parent of all workers.

        `contexts` are those of PasteDeploy for the filters of the pipeline.
        """
        filters = {entry_of(leaf): leaf.local_conf for one in contexts for leaf in leaves(one)}
        in_force.say_once(self, filters, self._conf_file)

    def __call__(self, env, start_response):
        """Answer a request as a WSGI app, and count it as in flight on this host until it ends."""
        request = self._counted_request()
        if request is None:
            return super().__call__(env, start_response)
        return answer(super().__call__, env, start_response, request)

    def _counted_request(self):
        """Return a new CountedRequest; None if the host has no LoadBook to count it in."""
        try:
            if not self._begun:
                self.begin()
            counts = self.host_book.requests
            if counts is not None:
                return CountedRequest(counts, self.recorder.clock, self.guard.fall_back)
        except Exception:
            self.guard.fall_back('requests')
        return None

    def begin(self):
        """Return this worker's number; the first call opens the host's LoadBook and maintains it.

        The constructor does neither: it also runs in the workers' parent, which serves nothing.
        """
        if not self._begun:
            self._begun = True
            self._attend()
            spawn(self._maintain_for_ever)
        return self._worker()

    def _worker(self):
        if self.host_book.slot is not None:
            return self.host_book.slot
        if self._number is None:
            self._number = worker_number()
        return self._number

    def _attend(self):
        try:
            fault = self.host_book.attend()
            if fault is not None:
                self.guard.fall_back('book', fault)
        except Exception:
            self.guard.fall_back('book')
        self.replicas.book = self.recorder.book = self.host_book.book

    def _maintain_for_ever(self):
        """Maintain the host's book every second, and flush metrics every `lb_metrics_interval`."""
        for_seconds = min(ATTEND_EVERY, self._interval)
        flush_at = clock.monotonic() + self._interval
        while True:
            sleep(for_seconds)
            self._attend()
            if clock.monotonic() >= flush_at:
                flush_at = clock.monotonic() + self._interval
                self._flush()

    def _flush(self):
        if self.host_book.slot is None:
            self.recorder.flush(self._worker())
        else:
            self.recorder.flush(None, self.host_book.leads)


def app_factory(global_conf, **local_conf):
    """Return an LBApplication for PasteDeploy; raises ConfigFileError with the conf's faults."""
    conf = {**global_conf, **local_conf}
    try:
        seam.verify()
        conf['policy_config'] = policy_sections(conf)
        conf['default_config'] = read_defaults(conf['__file__'])
        app = LBApplication(conf)
    except SwiftLBError as err:
        # Swift's servers print a ConfigFileError and exit with 1, without a traceback.
        raise ConfigFileError(str(err)) from err
    for warning in unknown_weights(app.swift_dir, app.replicas.options):
        app.logger.warning('%s: %s', conf.get('__file__'), warning)
    app.check_config()
    in_force.publish_replicas(app)
    return app
