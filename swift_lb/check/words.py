"""Sentences on what PasteDeploy cannot load, with the name that was probably meant."""
import configparser
import difflib
from importlib import metadata

from swift_lb.proxy.paste_conf import APP, FILTER, MAIN

KINDS = {'app': APP, 'filter': FILTER, '': APP}
GROUPS = {'app': ('paste.app_factory',),
          'filter': ('paste.filter_factory', 'paste.filter_app_factory')}
EGG, OURS, SWIFT = 'egg:', 'swift-lb', 'swift'


def meant(name, known, cutoff=0.7):
    """Return the name in `known` that is most like `name`, '' if none is like it."""
    return next(iter(difflib.get_close_matches(name, known, 1, cutoff)), '')


def load_fault(conf, failure):
    """Return the sentence on a Failure of a PasteConf."""
    kind, word, error = failure
    if isinstance(error, configparser.InterpolationError):
        return interpolation_fault(conf.path, error)
    try:
        section = conf.loader.find_config_section(KINDS[kind], word)
    except LookupError:
        return _missing(conf, kind, word)
    where = f'{conf.path}, [{section}]'
    if section.startswith('pipeline'):
        words = conf.loader.parser.get(section, 'pipeline', raw=True, fallback='').split()
        return f'{where}: {_line(error)}' if words else f'{where}, pipeline: must be set'
    use = conf.loader.parser.get(section, 'use', raw=True, fallback='')
    return f'{where}, use = {use}: {_reason(kind or "app", use, error)}'


def interpolation_fault(path, error):
    """Return the sentence on a configparser.InterpolationError; it does not show the value."""
    where = f'{path}, [{error.section}], {error.option}'
    if isinstance(error, configparser.InterpolationMissingOptionError):
        return f'{where}: %({error.reference})s is set neither there nor in [DEFAULT]'
    return f'{where}: %(NAME)s must name an option of the section or of [DEFAULT]'


def _missing(conf, kind, word):
    """Return the sentence on a word of the pipeline that has no section."""
    if not kind:
        return f'{conf.path}: there is no section [pipeline:{MAIN}]'
    names = [name.partition(':')[2] for name in conf.loader.parser.sections()
             if name.startswith(f'{kind}:')]
    entry = word.replace('-', '_')
    egg = next((egg for egg in (OURS, SWIFT) if entry in _entries(egg, kind)), '')
    near = meant(word, names) or meant(word, _entries(OURS, kind))
    hint = (f'write one, with use = {EGG}{egg}#{entry}' if egg
            else f'did you mean {near}?' if near else 'the pipeline needs it')
    return f'{conf.where}, {word}: there is no section [{kind}:{word}]; {hint}'


def _reason(kind, use, error):
    """Return why the `use` of a section of this kind cannot be loaded."""
    egg, _hash, entry = use.removeprefix(EGG).partition('#')
    if isinstance(error, metadata.PackageNotFoundError):
        near = meant(egg, (OURS, SWIFT))
        return f'the Python package {egg} is not installed' + (
            f'; did you mean {near}?' if near else '')
    if not isinstance(error, LookupError) or not use.startswith(EGG):
        return f'{type(error).__name__}: {_line(error)}'
    known = _entries(egg, kind)
    near = meant(entry, known)
    return f'{egg} has no such {kind}; ' + (
        f'did you mean {near}?' if near else f'it has {", ".join(known) or "none"}')


def _entries(egg, kind):
    """Return the sorted names of the entry points of a kind that a package has."""
    try:
        points = metadata.distribution(egg).entry_points
    except metadata.PackageNotFoundError:
        return []
    return sorted(point.name for point in points if point.group in GROUPS[kind])


def _line(error):
    return ' '.join(str(error).split())
