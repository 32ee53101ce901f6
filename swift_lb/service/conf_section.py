"""One section of lb-server.conf: each option parsed, every fault told, and no key ever shown."""
import difflib
import socket

from swift_lb.config import InvalidError
from swift_lb.wire.node_report import NAME

# What Swift reads of a daemon's section, beside log_*.
SWIFTS = frozenset((
    'user', 'swift_dir', 'daemonize', 'nice_priority', 'ionice_class', 'ionice_priority',
    'disable_fallocate', 'fallocate_reserve', 'eventlet_debug', '__file__', '__name__', 'here'))

LONGEST = 20    # characters of a name; a longer one is no option, but may be a key in base64, AB==


def is_swifts(name):
    """Return whether an option of the section is Swift's."""
    return name in SWIFTS or name.startswith('log_')


def parsed(section, table, where, faults, others=()):
    """Return {option: value} of `section`; add a sentence to `faults` for each that is wrong.

    Options named in `others` are right here, and for somebody else.
    """
    values = {}
    for name, text in section.items():
        if is_swifts(name) or (name in others and name not in table):
            continue
        if name not in table:
            known = list(dict.fromkeys((*table, *others)))
            near = difflib.get_close_matches(name, known, 1)
            said = f'{name} = {shown(text, name, *near)}'
            faults.append(f'{where}, {said if near or len(name) <= LONGEST else "..."}: unknown '
                          'option; ' + (f'did you mean {near[0]}?' if near else
                                        f'the options are {", ".join(known)}'))
            continue
        try:
            values[name] = table[name](text.strip())
        except InvalidError as err:
            faults.append(f'{where}, {name} = {shown(text, name)}: {err}')
    return values


def shown(text, *names):
    """Return what can be shown of an option's value: no key, and nothing of further lines."""
    first, more, _rest = text.partition('\n')
    return '...' if any('key' in name for name in names) else first + (more and ' ...')


def unnamed(own, where):
    """Return a sentence if the node has no name, and its host's would not do."""
    host = socket.gethostname()
    if own.get('node') or NAME.fullmatch(host):
        return []
    return [f'{where}, node: must be set, as the name of the host, {host!r}, is none of letters, '
            'digits, ".", "_" and "-", at most 63']
