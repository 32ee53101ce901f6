"""A conf as Swift loads it: the sections of its app and of the filters of its pipeline.

PasteDeploy finds the sections and their entry points, interpolates and merges [DEFAULT]. It creates
nothing here: no app, no filter.
"""
import configparser
import os
from functools import cache
from importlib import metadata
from typing import NamedTuple

from paste.deploy import loadwsgi
from swift.common.wsgi import ConfigDirLoader, NamedConfigLoader

from swift_lb.conf_file import unreadable
from swift_lb.errors import ConfigError

MAIN, PIPELINE = 'main', 'pipeline:main'    # the section that a server loads
APP, FILTER = loadwsgi.APP, loadwsgi.FILTER
LOG_NAME = {'log_name': 'swift-lb'}     # Swift's servers add this option to [DEFAULT]
PACKAGES = 'swift', 'swift-lb'          # whose entry points are looked up


class Failure(NamedTuple):
    """A word of a pipeline that PasteDeploy cannot load."""

    kind: str           # app or filter; '' for the pipeline itself
    word: str
    error: Exception


class PasteConf(NamedTuple):
    """What PasteDeploy makes of a conf: contexts, which have an entry point and its options."""

    path: str           # of the file or directory
    loader: NamedConfigLoader
    app: loadwsgi.LoaderContext | None
    filters: tuple      # LoaderContexts, in the order of the pipeline
    failures: tuple     # Failures

    @property
    def where(self):
        """The beginning of a sentence on the pipeline."""
        return f'{self.path}, [{PIPELINE}]'

    @property
    def pipeline(self):
        """The pipeline as [(name, entry point), ...], [] if a word of it cannot be loaded."""
        return [] if self.failures or self.app is None else [
            (context.name, entry_of(context)) for context in (*self.filters, self.app)]

    @property
    def foreign(self):
        """The names of the filters that are neither of Swift nor of swift-lb."""
        return {context.name for context in self.filters
                if package_of(context) not in ('swift', 'swift_lb')}

    @property
    def options(self):
        """The options of the app, as PasteDeploy gives them to its factory: {name: text}."""
        return {} if self.app is None else self.app.global_conf | self.app.local_conf


def load(path):
    """Return the PasteConf of a conf file or directory; raises ConfigError if it is unreadable."""
    try:
        loader = ConfigDirLoader(path) if os.path.isdir(path) else NamedConfigLoader(path)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        raise ConfigError(unreadable(err, path)) from None
    loader.update_defaults(LOG_NAME, overwrite=False)
    try:
        main = loader.get_context(APP, MAIN)
    except Exception as err:    # an entry point's import raises anything
        return _word_by_word(path, loader, err)
    *filters, app = leaves(main)
    return PasteConf(path, loader, app, tuple(filters), ())


def conf_around(global_conf):
    """Return the PasteConf of the conf for which a filter's factory is called at a start.

    `global_conf` is the factory's argument. Without a file that can be read, it has no pipeline.
    """
    path = global_conf.get('__file__')
    try:
        return load(os.fspath(path))
    except (ConfigError, TypeError):    # Swift's internal clients may have their conf in memory
        return PasteConf(path, None, None, (), ())


def _word_by_word(path, loader, error):
    """Return the PasteConf of a pipeline with `error`: PasteDeploy itself stops at the first."""
    *words, last = _words(loader) or ['']
    failures, filters = [], []
    for word in words:
        filters += _loaded(loader, FILTER, word, failures)
    *more, app = _loaded(loader, APP, last, failures) if last else [None]
    return PasteConf(path, loader, app, (*filters, *more),
                     tuple(failures) or (Failure('', MAIN, error),))


def _loaded(loader, kind, word, failures):
    """Return the leaves of a word; of one that cannot be loaded [], or [None] if it is the app."""
    try:
        return leaves(loader.get_context(kind, word))
    except Exception as err:
        failures.append(Failure('app' if kind is APP else 'filter', word, err))
        return [None] if kind is APP else []


def _words(loader):
    """Return the words of the pipeline, [] if there is none or it cannot be interpolated."""
    try:
        section = loader.find_config_section(APP, MAIN)
        return loader.parser.get(section, 'pipeline').split()
    except (LookupError, configparser.Error):
        return []


def leaves(context):
    """Return the contexts that `context` consists of, the outermost filter first, an app last.

    A filter may have a `filter-with`; an app may be a pipeline or a [filter-app:NAME], too.
    """
    if context.object_type is loadwsgi.PIPELINE:
        parts = *context.filter_contexts, context.app_context
    elif hasattr(context, 'next_context'):
        parts = context.filter_context, context.next_context
        for part in parts:
            if ':' in getattr(part, 'name', ':'):       # that of its `use`, or none
                part.name = context.name
    else:
        return [context]
    return [leaf for part in parts for leaf in leaves(part)]


def entry_of(context):
    """Return the name of a context's entry point, such as proxy_logging; else its own name.

    An entry point of Swift or swift-lb may be named by MODULE:FUNCTION, too.
    """
    factory = context.object
    path = f'{getattr(factory, "__module__", "")}:{getattr(factory, "__qualname__", "")}'
    return (context.entry_point_name or _entry_points().get(path) or context.name
            ).replace('-', '_')


@cache
def _entry_points():
    """Return {MODULE:FUNCTION: name} of the entry points of PACKAGES, of those which there are."""
    return {point.value: point.name for package in PACKAGES
            for found in metadata.distributions(name=package) for point in found.entry_points
            if point.group.startswith('paste.')}


def is_ours(context):
    """Return whether the app or filter of `context` is one of swift-lb's."""
    return package_of(context) == 'swift_lb'


def package_of(context):
    """Return the name of the Python package which the app or filter of `context` is from."""
    return getattr(context.object, '__module__', '').partition('.')[0]
