"""`egg:swift-lb#proxy`: Swift's proxy app with the replica tier in it.

    [app:proxy-server]
    use = egg:swift-lb#proxy

Every option of Swift's app holds as before; ours begin with lb_ and are in
etc/proxy-server.conf-sample. To go back, write egg:swift#proxy again.
"""
import random

from swift.common.wsgi import ConfigFileError

from swift_lb import clock
from swift_lb.concurrency import sleep, spawn
from swift_lb.config import own_options, replica_options
from swift_lb.errors import SwiftLBError
from swift_lb.load.book import LoadBook
from swift_lb.metrics import Metrics, gauge_sink
from swift_lb.policy import kinds_of
from swift_lb.proxy import check, seam
from swift_lb.proxy.replicas import ReplicaOrder
from swift_lb.proxy.worker import worker_number


class LBApplication(seam.SeamApplication):
    """Swift's proxy, ordering reads by what it has measured."""

    def __init__(self, conf=None, *args, **kwargs):
        super().__init__(conf, *args, **kwargs)
        conf = conf or {}
        options = replica_options(conf, conf.get('policy_config', {}),
                                  conf.get('__file__', 'conf'))
        self._interval = options[None].metrics_interval
        self._worker = None  # this worker's number, once it serves
        book = LoadBook(kinds_of(chosen.policy for chosen in options.values()))
        self.replicas = ReplicaOrder(options, book, self._metrics(conf), clock.monotonic,
                                     random.Random(), self.logger)

    def _metrics(self, conf):
        if not conf.get('log_statsd_host'):
            return Metrics(None, None, None)
        return Metrics(self.logger, self.labeled_statsd(conf), gauge_sink(conf))

    def handle_request(self, req):
        """Begin to serve with the first request."""
        if self._worker is None:
            self.begin()
        return super().handle_request(req)

    def begin(self):
        """Return this worker's number; the first call begins to flush metrics.

        Not in the constructor: it also runs in the parent of the workers, which serves nothing.
        """
        if self._worker is None:
            self._worker = worker_number()
            spawn(self._flush_for_ever)
        return self._worker

    def _flush_for_ever(self):
        while True:
            sleep(self._interval)
            self.replicas.flush(self._worker)


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
