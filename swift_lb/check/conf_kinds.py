"""Which confs does Swift's directory have, and of which kind is a conf?"""
import configparser
import os

from swift.common.utils import read_conf_dir, search_tree

from swift_lb.check.words import meant
from swift_lb.conf_file import AGENT, DNS, IMAGE, unreadable
from swift_lb.errors import ConfigError
from swift_lb.regular_file import open_regular

SWIFT_DIR = '/etc/swift'
PROXY, OBJECT, SERVER = 'proxy-server', 'object-server', 'lb-server'
APPS = {f'app:{kind}': kind for kind in (PROXY, OBJECT)}
OURS = 'lb-'        # sections of lb-server.conf begin so


def conf_paths(path):
    """Return the paths of the confs to check: all in Swift's directory, else `path` itself.

    Swift's directory has a swift.conf; another directory is one conf in several files. Raises
    ConfigError if Swift's directory has no conf for swift-lb.
    """
    if path != SWIFT_DIR and not os.path.exists(os.path.join(path, 'swift.conf')):
        return [path]
    found = [one for kind in (PROXY, OBJECT, SERVER)      # as swift-init finds them
             for one in search_tree(path, f'{kind}*', '.conf', dir_ext='.conf.d')]
    if not found:
        raise ConfigError([f'{path}: has no {PROXY}.conf, {OBJECT}.conf or {SERVER}.conf'])
    return found


def kind_of(path):
    """Return the kind of a conf file or directory: PROXY, OBJECT or SERVER.

    Raises ConfigError if it cannot be read, or has no section that swift-lb knows.
    """
    sections = section_names(path)
    for section, kind in APPS.items():
        if section in sections:
            return kind
    if any(section.startswith(OURS) for section in sections):
        return SERVER
    known = (*APPS, AGENT, DNS, IMAGE)
    hint = next(filter(None, (meant(section, known) for section in sections)), '')
    raise ConfigError([f'{path}: has none of the sections {", ".join(f"[{one}]" for one in known)}'
                       + (f'; did you mean [{hint}]?' if hint else '')])


def section_names(path):
    """Return the names of the sections in a conf; raises ConfigError if it cannot be read."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        if os.path.isdir(path):
            read_conf_dir(parser, path)
        else:
            with open_regular(path, encoding='utf-8') as lines:
                parser.read_file(lines)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        raise ConfigError(unreadable(err, path)) from None
    return parser.sections()
