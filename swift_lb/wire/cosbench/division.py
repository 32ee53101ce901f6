"""The division of a selector's numbers among the workers of a work."""
from dataclasses import replace

DIVIDED = {'container': 'containers', 'object': 'objects'}
SPLIT = 'uniform', 'range'   # the selectors that a division affects


def effective_division(operation, where, findings):
    """Return the operation with the division that COSBench applies.

    COSBench divides the containers of a `list` among the workers whatever `division` says. For
    operations on objects that are looked up it never divides.
    """
    if operation.type != 'list':
        return operation
    if operation.target.objects is not None:
        if operation.division != 'none':
            findings.warn(where[0], f'<{where[1]}>: division="{operation.division}" is ignored, as '
                                    'COSBench does where objects are listed')
        return replace(operation, division='none')
    containers = operation.target.containers
    divided = containers is not None and containers.kind in SPLIT
    return replace(operation, division='container') if divided else operation


def division_fault(operation, workers, element):
    """Return a sentence why the numbers cannot be divided among `workers`, else None."""
    listed = operation.type == 'list' and operation.target.objects is None
    name = 'containers' if listed else DIVIDED.get(operation.division)
    selector = getattr(operation.target, name) if name else None
    if selector is None:
        return None
    always = listed and operation.division != 'container'
    by = 'a list of containers' if always else f'division="{operation.division}"'
    if selector.kind == 'histogram':
        other = ', as a list always divides them' if listed else ' or division="none"'
        return (f'<{element}> config: {name}=h(...) can not be divided between workers; use '
                f'another selector{other}')
    if selector.kind in SPLIT and not selects_nothing(selector) and count(selector) < workers:
        return (f'<{element}>: {by} divides {count(selector)} {name} between {workers} workers; '
                'each needs one at least')
    return None


def count(selector):
    """Return the number of values that a Selector can choose."""
    return (selector.high - selector.low) // selector.step + 1


def selects_nothing(selector):
    """Return whether a Selector has no values, as r(0,0)."""
    return selector is not None and selector.high < selector.low
