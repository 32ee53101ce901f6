"""Write a Workload as XML with every default, as COSBench does in its workload-config.xml."""
from xml.sax.saxutils import quoteattr

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def normalised(workload):
    """Return the XML of a Workload, which COSBench and `read` read as the same workload.

    Attributes that have no value in COSBench by default (trigger, driver), or that COSBench lacks
    (rate), are written only if they have a value.
    """
    lines = [_tag(0, 'workload', name=workload.name, description=workload.description,
                  trigger=workload.trigger or None, config=workload.config),
             *_access(1, workload), _tag(1, 'workflow', config=workload.config)]
    for stage in workload.stages:
        lines.append(_tag(2, 'workstage', name=stage.name, closuredelay=stage.closuredelay,
                          trigger=stage.trigger or None, config=stage.config))
        for work in stage.works:
            lines += _work(work)
        lines.append('    </workstage>')
    return HEAD + '\n'.join([*lines, '  </workflow>', '</workload>', ''])


def _work(work):
    return [
        _tag(3, 'work', name=work.name, type=work.type, workers=work.workers,
             interval=work.interval, division=work.division, runtime=work.runtime,
             rampup=work.rampup, rampdown=work.rampdown, totalOps=work.total_ops,
             totalBytes=work.total_bytes, afr=work.afr, driver=work.driver or None,
             rate=None if work.rate is None else f'{work.rate:.12f}'.rstrip('0').rstrip('.'),
             config=work.config),
        *_access(4, work),
        *(_tag(4, 'operation', end='/>', type=operation.type, ratio=operation.ratio,
               division=operation.division, config=operation.config, id=operation.id)
          for operation in work.operations), '      </work>']


def _access(depth, owner):
    return [_tag(depth, name, end='/>', type=access.type, config=access.config)
            for name, access in (('auth', owner.auth), ('storage', owner.storage))]


def _tag(depth, element, /, end='>', **attributes):
    """Return an XML start tag, indented 2 x `depth`, without the attributes whose value is None."""
    written = ''.join(f' {key}={quoteattr(str(value))}' for key, value in attributes.items()
                      if value is not None)
    return f'{"  " * depth}<{element}{written}{end}'
