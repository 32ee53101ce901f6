"""The options of a WSGI filter of the proxy, from its section of proxy-server.conf."""
from swift.common.wsgi import ConfigFileError

from swift_lb.config import read_options
from swift_lb.errors import ConfigError


def filter_options(cls, name, global_conf, local_conf, earlier=()):
    """Return an instance of the options' dataclass `cls`, for a filter's PasteDeploy factory.

    `name` is that of the entry point, `global_conf` and `local_conf` are what PasteDeploy gives the
    factory, and `earlier` are sentences of faults that are known. Raises ConfigFileError with all
    faults: Swift's servers print it without a traceback, and exit with 1.
    """
    section = local_conf.get('__name__', name)      # of Swift's loader: the word in the pipeline
    where = f'{conf_path(global_conf)}, [filter:{section}]'
    try:
        return read_options(cls, local_conf, where, earlier)
    except ConfigError as err:
        raise ConfigFileError(str(err)) from None


def conf_path(global_conf):
    """Return the path of the conf file that PasteDeploy has read."""
    return global_conf.get('__file__', 'conf')
