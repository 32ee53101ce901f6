"""An ImageState as numbers of a message, and as metrics of a report. Pure.

    summaries   [wait, workers, decode, png, raw, coefficients], or null
    reports     the metrics image_wait, image_workers, ...: older agents accept reports with any
                metric but with no other fields
    the daemon  the fields of those names in its answers to a quote and a status (image_job.py)

Numbers have the digits of node_report.py.
"""
from swift_lb.errors import WireError
from swift_lb.model import ImageState
from swift_lb.wire.node_report import digits, number

IMAGE_METRICS = tuple(f'image_{name}' for name in ImageState._fields)
MAX_WAIT, MAX_PIXEL = 3600.0, 1.0   # seconds; seconds a pixel
MAX_WORKERS = 999_999               # of all hosts of a group: SIGNIFICANT digits


def as_fields(state):
    """Return an ImageState as a list of numbers, None for None."""
    if state is None:
        return None
    return [digits(state.wait), state.workers, *map(digits, state[2:])]


def of_fields(wait, workers, *pixel):
    """Return the ImageState of these numbers; raises ValueError or TypeError if they are none."""
    wait, workers = number(wait, 0.0, MAX_WAIT), number(workers, 1, MAX_WORKERS)
    if not workers.is_integer():
        raise ValueError(f'{workers} is no number of workers')
    decode, png, raw, coefficients = [number(one, 0.0, MAX_PIXEL) for one in pixel]
    return ImageState(wait, int(workers), decode, png, raw, coefficients)


def as_metrics(state):
    """Return {metric: number} of an ImageState, {} for None."""
    return {} if state is None else dict(zip(IMAGE_METRICS, map(float, state), strict=True))


def of_metrics(metrics):
    """Return the ImageState in the metrics of a Report, None if there is none."""
    try:
        return of_fields(*map(metrics.__getitem__, IMAGE_METRICS))
    except (KeyError, ValueError):
        return None


def of_quote(answer):
    """Return the ImageState in an answer of the daemon, a dict; raises WireError."""
    try:
        wait, *others = map(answer.__getitem__, ImageState._fields)
        return of_fields(min(wait, MAX_WAIT), *others)
    except (KeyError, ValueError, TypeError):
        raise WireError('the answer has no state of decoders') from None
