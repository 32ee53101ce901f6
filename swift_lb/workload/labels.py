"""What an operation is called wherever a run is shown."""
from swift_lb.drawing.text import printable


def labels_of(stage):
    """Return a label for each operation of a Workstage, works in order: `read`, or `small/read`.

    The work is named where the stage has several of them.
    """
    return tuple(printable(f'{work.name}/{name_of(operation)}' if len(stage.works) > 1
                           else name_of(operation))
                 for work in stage.works for operation in work.operations)


def name_of(operation):
    """Return what one Operation is called in its work."""
    return operation.name or operation.type
