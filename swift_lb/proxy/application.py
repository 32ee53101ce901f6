"""`egg:swift-lb#proxy`: Swift's proxy app with the replica tier in it.

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
from swift_lb.proxy import check, seam
from swift_lb.proxy.host_book import HostBook
from swift_lb.proxy.replicas import ReplicaOrder
from swift_lb.proxy.requests import CountedRequest, answer
from swift_lb.proxy.worker import worker_number
from swift_lb.replica_options import own_options, replica_options

ATTEND_EVERY = 1.0      # seconds: what a dead worker had under way is forgotten within two


class LBApplication(seam.SeamApplication):
    """Swift's proxy, ordering reads by what it has measured."""

    def __init__(self, conf=None, *args, **kwargs):
        super().__init__(conf, *args, **kwargs)
        conf = conf or {}
        options = replica_options(conf, conf.get('policy_config', {}),
                                  conf.get('__file__', 'conf'))
        self._interval = options[None].metrics_interval
        self._begun, self._number = False, None
        kinds = kinds_of(chosen.policy for chosen in options.values())
        self.host_book = HostBook(lambda: self._book_path(conf), kinds, clock.monotonic)
        self.replicas = ReplicaOrder(options, self.host_book.book, self._metrics(conf),
                                     clock.monotonic, random.Random(), self.logger)

    def _book_path(self, conf):
        if not self.replicas.active:
            return None
        return path_of(self.replicas.options_of(None).book, conf.get('__file__'), os.geteuid())

    def _metrics(self, conf):
        if not conf.get('log_statsd_host'):
            return Metrics(None, None, None)
        return Metrics(self.logger, self.labeled_statsd(conf), gauge_sink(conf))

    def __call__(self, env, start_response):
        """Answer as WSGI does; begin to serve with the first request, and count each."""
        request = self._counted_request()
        if request is None:
            return super().__call__(env, start_response)
        return answer(super().__call__, env, start_response, request)

    def _counted_request(self):
        """Return the CountedRequest of one that has come, None where it can not be counted."""
        try:
            if not self._begun:
                self.begin()
            counts = self.host_book.requests
            if counts is not None:
                return CountedRequest(counts, self.replicas.clock, self.replicas.fall_back)
        except Exception:
            self.replicas.fall_back('requests')
        return None

    def begin(self):
        """Return this worker's number; the first call opens the book and begins to flush metrics.

        Not in the constructor: it also runs in the parent of the workers, which serves nothing.
        """
        if not self._begun:
            self._begun = True
            self._attend()
            spawn(self._attend_for_ever)
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
        except Exception:
            self.replicas.fall_back('book')
        else:
            if fault is not None:
                self.replicas.fall_back('book', fault)
        self.replicas.book = self.host_book.book

    def _attend_for_ever(self):
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
            self.replicas.flush(self._worker())
        else:
            self.replicas.flush(None, self.host_book.leads)


def app_factory(global_conf, **local_conf):
    """paste.deploy's factory; refuses to start, in one clear message, what could not work."""
    conf = {**global_conf, **local_conf}
    try:
        seam.verify()
        defaults = check.read_defaults(conf['__file__'])
        conf['policy_config'] = {index: own_options(section, defaults)
                                 for index, section in seam.per_policy_conf(conf).items()}
        app = LBApplication(conf)
    except SwiftLBError as err:
        # Swift's servers print a ConfigFileError and exit with 1, without a traceback.
        raise ConfigFileError(str(err)) from err
    for warning in check.unknown_weights(app.swift_dir, app.replicas.options):
        app.logger.warning('%s: %s', conf.get('__file__'), warning)
    app.check_config()
    return app
