"""Documents from others, read with a check of what each value is. Pure."""
import json

from swift_lb.errors import StatusError


def read(body, url, whose):
    """Return what the JSON says that `url` has answered; StatusError if it is none.

    `whose` it should be is one word or more after `a`.
    """
    try:
        return document(body)
    except ValueError:
        raise StatusError(f'{url} answers with something that is not JSON: is it a '
                          f'{whose}?') from None


def made(make, raw, url, what):
    """Return make(raw); StatusError, that `url` has `what`, if a part of it is not as it must be.
    """
    try:
        return make(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as err:
        raise StatusError(f'{url} has {what} ({type(err).__name__}: {err})') from None


def document(body):
    """Return what the JSON in `body` says; ValueError if it is none."""
    try:
        return json.loads(body, parse_constant=_not_a_number)
    except RecursionError:
        raise ValueError('nested too deeply') from None


def _not_a_number(text):
    raise ValueError(text)


def number(value, may_be_unknown=False):
    """Return `value`, a number, or None where that may be; ValueError if it is anything else."""
    if value is None and may_be_unknown:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f'{value!r} is not a number')
    return value


def text(value):
    """Return `value`, a text, made printable; ValueError if it is anything else."""
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is not a text')
    return printable(value)


def flag(value):
    """Return `value`, true or false; ValueError if it is anything else."""
    if not isinstance(value, bool):
        raise ValueError(f'{value!r} is neither true nor false')
    return value


def printable(text):
    """Return `text` without characters that would move a terminal's cursor or change its mode."""
    return ''.join(char if char.isprintable() else '\N{REPLACEMENT CHARACTER}' for char in text)
