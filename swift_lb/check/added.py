"""The filters which Swift adds to a pipeline that lacks them, where they do harm."""
import logging
from types import SimpleNamespace

from swift.common.wsgi import PipelineWrapper

from swift_lb.proxy import seam
from swift_lb.proxy.dispatch.place import LEFT, NAME, ONCE
from swift_lb.proxy.paste_conf import APP, MAIN, entry_of, leaves

SILENT = logging.getLogger('swift_lb.check.added')      # Swift says what it adds
SILENT.disabled = True


def added_before_dispatcher(conf):
    """Return [a warning] if Swift adds filters left of the dispatcher which belong right of it.

    Swift adds filters to a plain [pipeline:main] only. `conf` is a PasteConf without failures.
    """
    context = conf.loader.get_context(APP, MAIN)
    if context.object_type.name != 'pipeline':
        return []
    own = [*context.filter_contexts]
    seam.Application.modify_wsgi_pipeline(SimpleNamespace(logger=SILENT), PipelineWrapper(context))
    left, dispatcher = [], ''
    for one in context.filter_contexts:
        dispatcher = next((leaf.name for leaf in leaves(one) if entry_of(leaf) == NAME), '')
        if dispatcher:
            break
        left += [] if one in own or entry_of(one) in LEFT else [one.name]
    return [f'{conf.where}: Swift adds {", ".join(left)} left of {dispatcher}, as the pipeline '
            f'does not have them; write them right of it: {ONCE}'] if left and dispatcher else []
