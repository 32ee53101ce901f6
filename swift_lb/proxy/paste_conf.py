"""A conf as Swift loads it: the sections of its app and of the filters of its pipeline.

PasteDeploy finds the sections and their entry points, interpolates and merges [DEFAULT]. It creates
nothing here: no app, no filter.
"""
import configparser
import os
from typing import NamedTuple

from paste.deploy import loadwsgi
from swift.common.wsgi import ConfigDirLoader, NamedConfigLoader

from swift_lb.conf_file import unreadable
from swift_lb.errors import ConfigError

MAIN, PIPELINE = 'main', 'pipeline:main'    # the section that a server loads
APP, FILTER = loadwsgi.APP, loadwsgi.FILTER
LOG_NAME = {'log_name': 'swift-lb'}     # Swift's servers add this option to [DEFAULT]


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
    if main.object_type is loadwsgi.PIPELINE:
        return PasteConf(path, loader, main.app_context, tuple(main.filter_contexts), ())
    return PasteConf(path, loader, main, (), ())


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
    words, contexts, failures = _words(loader), [], []
    kinds = [FILTER] * (len(words) - 1) + [APP]
    for word, kind in zip(words, kinds):    # noqa: B905 no words: the pipeline is missing or empty
        try:
            contexts.append(loader.get_context(kind, word))
        except Exception as err:
            failures.append(Failure('app' if kind is APP else 'filter', word, err))
    app = contexts.pop() if contexts and contexts[-1].name == words[-1] else None
    return PasteConf(path, loader, app, tuple(contexts),
                     tuple(failures) or (Failure('', MAIN, error),))


def _words(loader):
    """Return the words of the pipeline, [] if there is none or it cannot be interpolated."""
    try:
        section = loader.find_config_section(APP, MAIN)
        return loader.parser.get(section, 'pipeline').split()
    except (LookupError, configparser.Error):
        return []


def inner(context):
    """Return the context of an app or a filter without the filters of its `filter-with`."""
    while hasattr(context, 'next_context'):
        context = context.next_context
    return context


def entry_of(context):
    """Return the name of a context's entry point, such as proxy_logging; else its own name."""
    return (getattr(inner(context), 'entry_point_name', None) or context.name).replace('-', '_')


def is_ours(context):
    """Return whether the app or filter of `context` is one of swift-lb's."""
    return package_of(context) == 'swift_lb'


def package_of(context):
    """Return the name of the Python package which the app or filter of `context` is from."""
    factory = getattr(inner(context), 'object', None)
    return getattr(factory, '__module__', '').partition('.')[0]
