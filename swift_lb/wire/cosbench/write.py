"""Write a Workload as XML with every default: COSBench's workload-config.xml."""
from xml.sax.saxutils import quoteattr

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def normalised(workload):
    """Return the XML of a Workload, which COSBench and `read` read as the same workload.

    Attributes that have no value in COSBench by default (trigger, driver), or that COSBench lacks
    (rate), are written only if they have a value.
    """
    lines = [tag(0, 'workload', name=workload.name, description=workload.description,
                 trigger=workload.trigger or None, config=workload.config),
             access(1, 'auth', workload.auth), access(1, 'storage', workload.storage),
             tag(1, 'workflow', config=workload.config)]
    for each in workload.stages:
        lines += stage(each)
    return HEAD + '\n'.join([*lines, '  </workflow>', '</workload>', ''])


def stage(workstage):
    """Return the lines of a <workstage>."""
    lines = [tag(2, 'workstage', name=workstage.name, closuredelay=workstage.closuredelay,
                 trigger=workstage.trigger or None, config=workstage.config)]
    for each in workstage.works:
        lines += work(each)
    return [*lines, '    </workstage>']


def work(settings):
    """Return the lines of a <work>."""
    return [
        tag(3, 'work', name=settings.name, type=settings.type, workers=settings.workers,
            interval=settings.interval, division=settings.division, runtime=settings.runtime,
            rampup=settings.rampup, rampdown=settings.rampdown, totalOps=settings.total_ops,
            totalBytes=settings.total_bytes, afr=settings.afr, driver=settings.driver or None,
            rate=None if settings.rate is None else f'{settings.rate:.12f}'.rstrip('0').rstrip('.'),
            config=settings.config),
        access(4, 'auth', settings.auth), access(4, 'storage', settings.storage),
        *(tag(4, 'operation', end='/>', type=operation.type, ratio=operation.ratio,
              division=operation.division, config=operation.config, id=operation.id)
          for operation in settings.operations), '      </work>']


def access(depth, name, settings):
    """Return the line of an <auth> or a <storage>."""
    return tag(depth, name, end='/>', type=settings.type, config=settings.config)


def tag(depth, element, /, end='>', **attributes):
    """Return a start tag; attributes whose value is None are omitted."""
    written = ''.join(f' {key}={quoteattr(str(value))}' for key, value in attributes.items()
                      if value is not None)
    return f'{"  " * depth}<{element}{written}{end}'
