"""What is not known, and why: never a number, and 0 least of all."""


class UnknownError(Exception):
    """A reading is not known; the message says why."""


def reason(err):
    """Return in words why `err` leaves a reading unknown."""
    return str(err) if isinstance(err, UnknownError) else f'{type(err).__name__}: {err}'
