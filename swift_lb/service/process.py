"""The base class of the daemons, agent, DNS and decoder, which swift-init or systemd starts."""
import contextlib
import os
import pwd
import signal
import sys
from configparser import InterpolationError
from optparse import OptionParser

from swift.common.daemon import Daemon, DaemonStrategy, run_daemon
from swift.common.utils import get_logger, modify_priority, parse_options, readconf, set_swift_dir

from swift_lb.concurrency import listen
from swift_lb.conf_file import interpolation_fault
from swift_lb.config import endpoint
from swift_lb.errors import AgentError, ConfigError, ImageServiceError, NameServerError
from swift_lb.version import version

SWIFT = 'swift'         # the user of Swift's daemons, unless a conf names another one


class ServiceDaemon(Daemon):
    """A Swift Daemon with a conf file at `_path`; SIGHUP sets `_reload`, to read the file again."""

    def __init__(self, conf):
        super().__init__(conf)
        set_swift_dir(conf.get('swift_dir', '/etc/swift'))
        self._path, self._reload = conf['__file__'], False
        choose_user(conf, self._path)

    def _await_hangup(self):
        signal.signal(signal.SIGHUP, self._on_hangup)

    def _on_hangup(self, _number, _frame):
        self._reload = True

    def _say_start(self, name, *facts):
        """Log the one line of a start: the program's `name`, its version, and `facts`, texts."""
        self.logger.info('%s %s: %s', name, version(), ', '.join(facts))


def choose_user(conf, path):
    """Set `user` in a daemon's `conf`, unless it is there: the one who runs it, swift for root.

    Swift's Daemon becomes this user before it serves. Raises ConfigError with a sentence, which
    names the conf file `path`, if that can not succeed.
    """
    own = os.geteuid()
    with contextlib.suppress(KeyError):     # a container's user may have no name
        conf.setdefault('user', SWIFT if own == 0 else pwd.getpwuid(own).pw_name)
    user = conf.setdefault('user', SWIFT)
    try:
        wanted = pwd.getpwnam(user).pw_uid
    except KeyError:
        raise ConfigError([f'{path}, user = {user}: there is no such user']) from None
    if own not in (0, wanted):
        raise ConfigError([f'{path}, user = {user}: only root can become this user'])


def listening(options, error, reuse_port=True):
    """Return the listening socket of http_ip and http_port; raises `error`, a class of exceptions.

    With `reuse_port`, eventlet's default, two servers can share a port.
    """
    ip, port = options.http_ip, options.http_port
    try:
        return listen((ip, port), family=10 if ':' in ip else 2, reuse_port=reuse_port)
    except OSError as err:
        raise error(f'http_ip = {ip}, http_port = {port}: {err.strerror or err}') from None


def peers_text(peers):
    """Return the text for the log of `peers`, [(host, port), ...]: peers HOST:PORT ..."""
    return ' '.join(('peers', *(endpoint(*peer) for peer in peers))) if peers else 'no peers'


def option_parser():
    """Return an OptionParser of a daemon's command, to which Swift adds the options of daemons."""
    return OptionParser(usage='%prog CONFIG [options]', version=f'%prog {version()}')


def run(daemon, options, start=run_daemon):
    """Run a daemon, whose conf file is the first argument; if it fails, exit with a sentence.

    `daemon` is the class, and `options` the module that reads its options. `start` is run_daemon,
    or run_unpatched.
    """
    conf_file, passed = parse_options(option_parser(), once=True)
    try:
        options.read(conf_file)
        readconf(conf_file, options.SECTION)
        start(daemon, conf_file, section_name=options.SECTION, **passed)
    except (ConfigError, AgentError, NameServerError, ImageServiceError) as err:
        _end(err)
    except InterpolationError as err:       # of readconf, which Swift calls too
        _end(interpolation_fault(conf_file, err))


def _end(fault):
    sys.exit(f'{os.path.basename(sys.argv[0])}: {fault}')


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
