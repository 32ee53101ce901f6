"""The faults for which Swift's servers refuse a conf, whichever server it is of."""
from swift.common.wsgi import ConfigFileError

from swift_lb.check.conf_kinds import OBJECT
from swift_lb.check.words import load_fault
from swift_lb.proxy.paste_conf import APP, Failure, is_ours


def server_faults(conf, server):
    """Return the faults of a PasteConf, but not those of its app's options.

    `server` is the kind of the server, such as proxy-server.
    """
    failures, options = list(conf.failures), {}
    try:
        options = dict(conf.loader.get_context(APP, server).config())
    except Exception as err:    # an entry point's import raises anything
        if all(failure.word != server for failure in failures):
            failures.append(Failure('app', server, err))
    return [*(load_fault(conf, failure) for failure in failures),
            *(port_faults(options, server, conf.path) if options else []), *filter_faults(conf)]


def port_faults(options, server, path):
    """Return [a sentence] if the option bind_port of a server is missing or wrong, else []."""
    per_port = options.get('servers_per_port') or '0'
    try:
        if int(per_port) and server == OBJECT:
            return []       # it then takes its ports from the rings
    except ValueError:
        return [f'{path}, servers_per_port = {per_port}: must be a whole number']
    port = options.get('bind_port')
    try:
        if 1 <= int(port) <= 65535:
            return []
    except (TypeError, ValueError):     # TypeError: it is None
        pass
    return [f'{path}, bind_port: must be set, to a port from 1 to 65535' if port is None else
            f'{path}, bind_port = {port}: must be a port from 1 to 65535']


def filter_faults(conf):
    """Return the faults of the filters of swift-lb in the pipeline: what their factories raise."""
    return [fault for context in conf.filters if is_ours(context)
            for fault in factory_faults(conf.path, context)]


def factory_faults(path, context):
    """Return the sentences with which the factory of a filter refuses its options."""
    try:
        context.create()
    except ConfigFileError as err:
        return str(err).splitlines()
    except Exception as err:    # of a plug-in, such as a chain of images
        return [f'{path}, [filter:{context.name}]: {type(err).__name__}: {err}']
    return []
