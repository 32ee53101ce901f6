"""Warnings about the host of a proxy: files, sockets and settings that its conf relies on."""
import os
import pwd
import socket
import stat

from swift_lb.errors import ConfigError
from swift_lb.proxy.dispatch import identity, place
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.paste_conf import entry_of

SECONDS = 1.0           # for which an answer is waited for
USER = 'swift'          # Swift's default
STATSD = 'log_statsd_host'
SLOW_START = '/proc/sys/net/ipv4/tcp_slow_start_after_idle'


def account_of(user):
    """Return the entry of `user` in the password database, None if there is no such user."""
    try:
        return pwd.getpwnam(user)
    except (KeyError, ValueError):      # ValueError: a NUL in the name
        return None


def missing_user(options, path):
    """Return [a warning] if the user that the conf at `path` sets, or its default, is not here."""
    user = options.get('user', USER)
    if account_of(user) is not None:
        return []
    of = '' if 'user' in options else ', by default'
    return [f'{path}, user = {user}{of}: there is no such user; no start succeeds here']


def missing_directory(book, path):
    """Return [a warning] if the directory of the `book`, by the conf at `path`, does not exist."""
    directory = os.path.dirname(book)
    if not directory or os.path.isdir(directory):
        return []
    return [f'{path}, lb_book = {book}: there is no directory {directory}; each worker would keep '
            'a book of its own']


def dispatcher_warnings(conf):
    """Return the warnings about each dispatcher in the pipeline of a PasteConf.

    Its name or key cannot be read; or it is to fetch from other clusters, and this host forgets how
    much a connection carries while it is idle.
    """
    warnings = []
    for context in of_entry(conf, place.NAME):
        options = context.local_conf
        path = options.get('lb_conf', DispatchOptions.lb_conf).strip()
        try:
            read = identity.read(path)
            warnings += slow_start() if read.cluster else []
            if not readable_by(conf.options.get('user', USER), path):
                warnings.append(f'{conf.path}, [filter:{context.name}], lb_conf = {path}: the user '
                                'of the proxy can not read it, and would serve every request here; '
                                f'see chown and chmod of {path}')
        except ConfigError as err:
            warnings += [f'{conf.path}, [filter:{context.name}], lb_conf: {fault}; every request '
                         'would be served here' for fault in err.faults]
    return warnings


def readable_by(user, path):
    """Return whether the mode of the file at `path` lets `user` read it; True if no such user."""
    account = account_of(user)
    if account is None:
        return True
    found = os.stat(path)
    if found.st_uid == account.pw_uid:
        return bool(found.st_mode & stat.S_IRUSR)
    groups = os.getgrouplist(user, account.pw_gid)
    return not account.pw_uid or bool(
        found.st_mode & (stat.S_IRGRP if found.st_gid in groups else stat.S_IROTH))


def silent_decoders(conf):
    """Return a warning for each lb_image in the pipeline that no swift-lb-image answers."""
    warnings = []
    for context in of_entry(conf, place.IMAGES):
        path = context.local_conf.get('socket', ImageFilterOptions.socket).strip()
        try:
            with socket.socket(socket.AF_UNIX) as one:
                one.settimeout(SECONDS)
                one.connect(path)
        except OSError as err:
            warnings.append(f'{conf.path}, [filter:{context.name}], socket = {path}: no '
                            f'swift-lb-image answers there ({err.strerror or err}); images would '
                            'be sent without being decoded')
    return warnings


def unsent_counters(conf):
    """Return a warning for each filter of ours that sends no counters, although the app does."""
    if not conf.options.get(STATSD):
        return []
    return [f'{conf.path}, [filter:{context.name}]: its counters are not sent, as {STATSD} is not '
            'in [DEFAULT]' for entry in (place.NAME, place.IMAGES)
            for context in of_entry(conf, entry) if not context.global_conf.get(STATSD)]


def of_entry(conf, entry):
    """Return the contexts of the filters in the pipeline whose entry point is `entry`."""
    return [context for context in conf.filters if entry_of(context) == entry]


def slow_start(path=SLOW_START):
    """Return [a warning] if an idle TCP connection begins slowly again on this host, else []."""
    try:
        with open(path) as file:
            if file.read().strip() != '1':
                return []
    except OSError:     # another kernel
        return []
    return ['net.ipv4.tcp_slow_start_after_idle = 1: an idle connection to another cluster begins '
            'slowly again; sysctl net.ipv4.tcp_slow_start_after_idle=0 avoids it']
