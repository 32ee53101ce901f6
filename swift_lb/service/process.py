"""The base class of the daemons, agent, DNS and decoder, which swift-init or systemd starts."""
import os
import signal
import sys

from swift.common.daemon import Daemon, DaemonStrategy, run_daemon
from swift.common.utils import get_logger, modify_priority, parse_options, readconf, set_swift_dir

from swift_lb.concurrency import listen
from swift_lb.errors import AgentError, ConfigError, ImageServiceError, NameServerError


class ServiceDaemon(Daemon):
    """A Swift Daemon with a conf file at `_path`; SIGHUP sets `_reload`, to read the file again."""

    def __init__(self, conf):
        super().__init__(conf)
        set_swift_dir(conf.get('swift_dir', '/etc/swift'))
        self._path, self._reload = conf['__file__'], False

    def _await_hangup(self):
        signal.signal(signal.SIGHUP, self._on_hangup)

    def _on_hangup(self, _number, _frame):
        self._reload = True


def listening(options, error, reuse_port=True):
    """Return the listening socket of http_ip and http_port; raises `error`, a class of exceptions.

    With `reuse_port`, eventlet's default, two servers can share a port.
    """
    ip, port = options.http_ip, options.http_port
    try:
        return listen((ip, port), family=10 if ':' in ip else 2, reuse_port=reuse_port)
    except OSError as err:
        raise error(f'http_ip = {ip}, http_port = {port}: {err.strerror or err}') from None


def run(daemon, options, start=run_daemon):
    """Run a daemon, whose conf file is the first argument; if it fails, exit with a sentence.

    `daemon` is the class, and `options` the module that reads its options. `start` is run_daemon,
    or run_unpatched.
    """
    conf_file, passed = parse_options(once=True)
    try:
        options.read(conf_file)
        start(daemon, conf_file, section_name=options.SECTION, **passed)
    except (ConfigError, AgentError, NameServerError, ImageServiceError) as err:
        sys.exit(f'{os.path.basename(sys.argv[0])}: {err}')


def run_unpatched(daemon, conf_file, section_name, once=False, verbose=False, **passed):
    """Do what Swift's run_daemon does, for a daemon whose event loop is that of asyncio.

    run_daemon replaces the modules select and socket by eventlet's, under which asyncio has no
    epoll and blocks.
    """
    conf = readconf(conf_file, section_name, log_name=passed.get('log_name'))
    logger = get_logger(conf, conf.get('log_name', section_name), log_to_console=verbose,
                        log_route=section_name)
    modify_priority(conf, logger)
    DaemonStrategy(daemon(conf), logger).run(once=once, **passed)
