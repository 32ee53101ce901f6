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
    for found in workload.stages:
        lines += stage(found)
    return HEAD + '\n'.join([*lines, '  </workflow>', '</workload>', ''])


def stage(found):
    """Return the lines of a <workstage>."""
    lines = [tag(2, 'workstage', name=found.name, closuredelay=found.closuredelay,
                 trigger=found.trigger or None, config=found.config)]
    for each in found.works:
        lines += work(each)
    return [*lines, '    </workstage>']


def work(found):
    """Return the lines of a <work>."""
    return [
        tag(3, 'work', name=found.name, type=found.type, workers=found.workers,
            interval=found.interval, division=found.division, runtime=found.runtime,
            rampup=found.rampup, rampdown=found.rampdown, totalOps=found.total_ops,
            totalBytes=found.total_bytes, afr=found.afr, driver=found.driver or None,
            rate=None if found.rate is None else f'{found.rate:.12f}'.rstrip('0').rstrip('.'),
            config=found.config),
        access(4, 'auth', found.auth), access(4, 'storage', found.storage),
        *(tag(4, 'operation', end='/>', type=operation.type, ratio=operation.ratio,
              division=operation.division, config=operation.config, id=operation.id)
          for operation in found.operations), '      </work>']


def access(depth, name, found):
    """Return the line of an <auth> or a <storage>."""
    return tag(depth, name, end='/>', type=found.type, config=found.config)


def tag(depth, element, /, end='>', **attributes):
    """Return a start tag; attributes whose value is None are omitted."""
    written = ''.join(f' {key}={quoteattr(str(value))}' for key, value in attributes.items()
                      if value is not None)
    return f'{"  " * depth}<{element}{written}{end}'
