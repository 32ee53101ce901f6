"""Which confs does Swift's directory have, and of which kind is a conf?"""
import configparser
import os

from swift.common.utils import read_conf_dir, search_tree

from swift_lb.check.words import PREFIXES, meant
from swift_lb.conf_file import AGENT, DNS, IMAGE, unreadable
from swift_lb.errors import ConfigError
from swift_lb.regular_file import open_regular

SWIFT_DIR = '/etc/swift'
PROXY, OBJECT, SERVER = 'proxy-server', 'object-server', 'lb-server'
APPS = [f'app:{kind}' for kind in (PROXY, OBJECT)]
OTHERS = 'app:account-server', 'app:container-server'
EXPIRER = 'object-expirer'
OURS = 'lb-'        # sections of lb-server.conf begin so


def conf_paths(path):
    """Return the paths of the confs to check: all in Swift's directory, else `path` itself.

    Swift's directory has a swift.conf; another directory is one conf in several files. The conf of
    an object-expirer that lies among those of object servers is left out: its proxy serves no
    client. Raises ConfigError if Swift's directory has no conf for swift-lb.
    """
    if path != SWIFT_DIR and not os.path.exists(os.path.join(path, 'swift.conf')):
        return [path]
    found = [one for kind in (PROXY, OBJECT, SERVER)      # as swift-init finds them
             for one in search_tree(path, f'{kind}*', '.conf', dir_ext='.conf.d')
             if not is_of_expirer(one)]
    if not found:
        raise ConfigError([f'{path}: has no {PROXY}.conf, {OBJECT}.conf or {SERVER}.conf'])
    return found


def is_of_expirer(path):
    """Return whether a conf is that of an object-expirer, and of no object server as well."""
    try:
        sections = sections_in(path)
    except ConfigError:     # kind_of says why
        return False
    return EXPIRER in sections and OBJECT not in (one.partition(':')[2] for one in sections)


def kind_of(path):
    """Return the kind of a conf file or directory: PROXY, OBJECT or SERVER.

    Raises ConfigError if it cannot be read, or has no section that swift-lb knows.
    """
    sections = [*sections_in(path)]
    names = {name.strip() for prefix, _colon, name in (one.partition(':') for one in sections)
             if prefix in PREFIXES['app']}
    for kind in (PROXY, OBJECT):
        if kind in names:
            return kind
    if any(section.startswith(OURS) for section in sections):
        return SERVER
    for section in sections:
        if section in OTHERS:
            raise ConfigError([f'{path}: has [{section}], for which swift-lb has no options'])
    known = (*APPS, AGENT, DNS, IMAGE)
    hint = next(filter(None, (meant(section, known) for section in sections)), '')
    raise ConfigError([f'{path}: has none of the sections {", ".join(f"[{one}]" for one in known)}'
                       + (f'; did you mean [{hint}]?' if hint else '')])


def sections_in(path):
    """Return {section: {option: text}} of a conf as it is written; [DEFAULT] is one section more.

    Raises ConfigError if it cannot be read.
    """
    parser = configparser.RawConfigParser(strict=False, default_section='')
    parser.optionxform = str    # as in Swift, LB_POLICY is not lb_policy
    try:
        if os.path.isdir(path):
            read_conf_dir(parser, path)
        else:
            with open_regular(path) as lines:       # in the encoding of the locale, as Swift does
                parser.read_file(lines)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        raise ConfigError(unreadable(err, path)) from None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def unread_files(path):
    """Return a warning for each file in a directory of confs that cannot be read."""
    names = sorted(os.listdir(path)) if os.path.isdir(path) else ()
    files = [os.path.join(path, name) for name in names
             if name.endswith('.conf') and not name.startswith('.')]
    return [f'{file}: can not be read, so Swift leaves it out' for file in files
            if not os.access(file, os.R_OK)]
