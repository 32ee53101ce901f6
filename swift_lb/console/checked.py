"""Checks of documents from other processes: every value has the expected type. Pure."""
import json

from swift_lb.errors import StatusError


def read(body, url, whose):
    """Return the JSON data in `body`, the response of `url`; raises StatusError if it is not JSON.

    `whose` names the expected sender in the error message, with an article in front.
    """
    try:
        return document(body)
    except ValueError:
        raise StatusError(f'{url} answers with something that is not JSON: is it a '
                          f'{whose}?') from None


def made(make, raw, url, what):
    """Return make(raw), an object made of parsed JSON.

    Raises StatusError, which names `url` and `what`, if a part of it is not as expected.
    """
    try:
        return make(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as err:
        raise StatusError(f'{url} has {what} ({type(err).__name__}: {err})') from None


def document(body):
    """Return the JSON data in `body`; raises ValueError."""
    try:
        return json.loads(body, parse_constant=_not_a_number)
    except RecursionError:
        raise ValueError('nested too deeply') from None


def _not_a_number(text):
    raise ValueError(text)


def number(value, may_be_unknown=False):
    """Return `value` if it is a number, or None if allowed; else raises ValueError."""
    if value is None and may_be_unknown:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f'{value!r} is not a number')
    return value


def text(value):
    """Return `value`, if it is a text, with control characters escaped; else raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is not a text')
    return printable(value)


def flag(value):
    """Return `value` if it is true or false; else raises ValueError."""
    if not isinstance(value, bool):
        raise ValueError(f'{value!r} is neither true nor false')
    return value


def printable(text):
    """Return `text` without characters that would control a terminal."""
    return ''.join(char if char.isprintable() else '\N{REPLACEMENT CHARACTER}' for char in text)
