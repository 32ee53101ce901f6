"""Sentences on what PasteDeploy cannot load, with the name that was probably meant."""
import configparser
import difflib
import re
from importlib import metadata

from swift_lb.conf_file import interpolation_fault
from swift_lb.proxy.paste_conf import MAIN

# PasteDeploy's: how the names of sections begin, and the options that name a factory.
PREFIXES = {'app': ('app', 'application', 'composite', 'composit', 'pipeline', 'filter-app'),
            'filter': ('filter',)}
FACTORIES = {'app': ('paste.app_factory', 'paste.composite_factory', 'paste.composit_factory'),
             'filter': ('paste.filter_factory', 'paste.filter_app_factory')}
COMMENT = '#', ';'
EGG, OURS, SWIFT = 'egg:', 'swift-lb', 'swift'


def meant(name, known, cutoff=0.7):
    """Return the name in `known` that is most like `name`, '' if none is like it."""
    return next(iter(difflib.get_close_matches(name, known, 1, cutoff)), '')


def load_fault(conf, failure):
    """Return the sentence on a Failure of a PasteConf."""
    kind, word, error = failure.kind or 'app', failure.word, failure.error
    if isinstance(error, configparser.InterpolationError):
        return interpolation_fault(conf.path, error)
    hiding = {'use', 'pipeline'} & {*conf.loader.parser.defaults()}
    if hiding:
        return f'{conf.path}, [DEFAULT], {min(hiding)}: hides that of every section; remove it'
    if ':' in word:     # such as egg:swift#healthcheck, which needs no section
        return f'{conf.where}, {word}: {_reason(kind, word, error)}'
    sections = sections_of(conf, kind, word)
    if not sections:
        return _missing(conf, failure)
    if len(sections) > 1 and type(error) is LookupError:
        both = ' and '.join(f'[{section}]' for section in sections)
        return f'{conf.path}, {word}: {both} are both its section; only one may be there'
    section, where = sections[0], f'{conf.path}, [{sections[0]}]'
    if section.startswith('pipeline'):
        words = conf.loader.parser.get(section, 'pipeline', raw=True, fallback='').split()
        return f'{where}: {_said(error)}' if words else f'{where}, pipeline: must be set'
    option, text = named_in(conf, section)
    if sections_of(conf, kind, text) and not isinstance(error, RecursionError):
        return load_fault(conf, failure._replace(word=text))
    of = 'filter' if section.startswith('filter') else kind      # also of [filter-app:NAME]
    return f'{where}, {option} = {_line(text)}: {_reason(of, text, error)}' if option else (
        f'{where}, use: must be set, to egg:PACKAGE#NAME')


def sections_of(conf, kind, word):
    """Return the sections of a PasteConf that define a word of the pipeline, an app or a filter.

    `kind` is `app` or `filter`. A second section is a fault.
    """
    parted = [(name, *name.partition(':')[::2]) for name in conf.loader.parser.sections()]
    return [name for name, prefix, rest in parted
            if prefix in PREFIXES[kind] and rest.strip() == word]


def named_in(conf, section):
    """Return (option, text) of the option by which a section says what it is, ('', '') without."""
    for option in ('use', *FACTORIES['app'], *FACTORIES['filter']):
        text = conf.loader.parser.get(section, option, raw=True, fallback='')
        if text:
            return option, text
    return '', ''


def source_of(conf, kind, word):
    """Return the beginning of a sentence on a word of the pipeline: file, section, its use."""
    sections = sections_of(conf, kind, word)
    if not sections:
        return f'{conf.where}, {word}'
    option, text = named_in(conf, sections[0])
    return f'{conf.path}, [{sections[0]}]' + (f', {option} = {text}' if option else '')


def _missing(conf, failure):
    """Return the sentence on a word of the pipeline that has no section."""
    kind, word, _error = failure
    if not kind:
        return f'{conf.path}: there is no section [pipeline:{MAIN}]'
    if word.startswith(COMMENT):
        return f'{conf.where}, {word}: a comment is a line of its own'
    if kind == 'filter' and sections_of(conf, 'app', word):
        return f'{conf.where}, {word}: must be the last word, as it is an app'
    if kind == 'app' and sections_of(conf, 'filter', word):
        return f'{conf.where}, {word}: the last word must be an app, and this is a filter'
    names = [name.partition(':')[2] for name in conf.loader.parser.sections()
             if name.startswith(f'{kind}:')]
    entry = word.replace('-', '_')
    egg = next((egg for egg in (OURS, SWIFT) if entry in _entries(egg, kind)), '')
    near = meant(word, names) or meant(word, _entries(OURS, kind))
    hint = (f'write one, with use = {EGG}{egg}#{entry}' if egg
            else f'did you mean {near}?' if near else 'the pipeline needs it')
    return f'{conf.where}, {word}: there is no section [{kind}:{word}]; {hint}'


def _reason(kind, text, error):
    """Return why an app or a filter, which a conf names by `text`, cannot be loaded."""
    if isinstance(error, metadata.PackageNotFoundError):
        near = meant(error.name, (OURS, SWIFT))
        return f'the Python package {error.name} is not installed' + (
            f'; did you mean {near}?' if near else '')
    if isinstance(error, ModuleNotFoundError):
        return f'the Python module {error.name} is not installed'
    if isinstance(error, RecursionError):
        return 'leads to itself'
    if isinstance(error, KeyError):     # of PasteDeploy's lines `get OPTION = NAME`
        return f'a line `get` names {error}, which [DEFAULT] does not have'
    if type(error) is not LookupError:
        return f'{type(error).__name__}: {_line(error)}'
    egg, _hash, entry = text.removeprefix(EGG).partition('#')
    known = _entries(egg, kind)
    if not text.startswith(EGG) or entry in known:
        return _said(error)
    if entry.partition(' ')[2].startswith(COMMENT):
        return 'a comment is a line of its own'
    near = meant(entry, known)
    return f'{egg} has no such {kind}; ' + (
        f'did you mean {near}?' if near else f'it has {", ".join(known) or "none"}')


def _entries(egg, kind):
    """Return the sorted names of the entry points of a kind that a package has."""
    try:
        points = metadata.distribution(egg).entry_points
    except (metadata.PackageNotFoundError, ValueError):     # ValueError: the name is empty
        return []
    return sorted(point.name for point in points if point.group in FACTORIES[kind])


def _said(error):
    """Return the text of PasteDeploy's LookupError, with the name of a section as it is written."""
    missing = re.match(r"No section '(.*)' \(prefixed by '(\w+)'", str(error))
    return f'there is no section [{missing[2]}:{missing[1]}]' if missing else _line(error)


def _line(text):
    return ' '.join(str(text).split())
