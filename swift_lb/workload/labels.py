"""The labels of operations in tables, plots and reports."""
from swift_lb.drawing.text import printable


def labels_of(stage):
    """Return a label for each operation of a Workstage, in order: `read`, or `small/read`.

    The label names the work if the stage has several.
    """
    return tuple(printable(f'{work.name}/{name_of(operation)}' if len(stage.works) > 1
                           else name_of(operation))
                 for work in stage.works for operation in work.operations)


def name_of(operation):
    """Return the name of an Operation within its work."""
    return operation.name or operation.type
