"""Checks of documents from other processes: every value has the expected type. Pure."""
import json
from functools import partial
from typing import get_args

from swift_lb.drawing.text import printable
from swift_lb.errors import StatusError


def read(body, url, whose):
    """Return the JSON data in `body`, the response of `url`; raises StatusError if it is not JSON.

    `whose` names the expected sender in the error message, with an article in front.
    """
    try:
        return json.loads(body, parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        raise StatusError(f'{url} answers with something that is not JSON: is it a '
                          f'{whose}?') from None


def _not_a_number(text):
    raise ValueError(text)


def made(make, raw, url, what):
    """Return make(raw), an object made of parsed JSON.

    Raises StatusError, which names `url` and `what`, if a part of it is not as expected.
    """
    try:
        return make(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as err:
        raise StatusError(f'{url} has {what} ({type(err).__name__}: {err})') from None


def of_daemon(body, url, program, whose, known, page):
    """Return page(the JSON document in `body`); raises StatusError if it is another document.

    `known` is the number of the format that this version reads. `url` and `program` are where the
    document came from, and `whose` the noun of it in sentences: `an agent`.
    """
    raw = read(body, url, program)
    if not isinstance(raw, dict) or 'format' not in raw:
        raise StatusError(f'{url} answers with JSON that is not of {whose}')
    if raw['format'] != known:
        kind = whose.partition(' ')[2]
        raise StatusError(f'{url} has {whose} whose documents are of format {raw["format"]!r}, '
                          f'and this swift-lb reads format {known}: use the version the {kind} is '
                          'of')
    return made(page, raw, url, f'{whose} whose document has a fault in it')


def number(value):
    """Return `value` if it is a number; else raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f'{value!r} is not a number')
    return value


def text(value):
    """Return `value`, if it is a text, with control characters escaped; else raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is not a text')
    return printable(value)


def texts(values):
    """Return a tuple of the `values`, which must be texts."""
    return tuple(map(text, values))


def flag(value):
    """Return `value` if it is true or false; else raises ValueError."""
    if not isinstance(value, bool):
        raise ValueError(f'{value!r} is neither true nor false')
    return value


PARSERS = {int: number, float: number, str: text, bool: flag, tuple: texts}


def record(kind, raw, **parsers):
    """Return the NamedTuple `kind` of the JSON object `raw`, which may have more than its fields.

    Each value must have the type of the field's annotation, or be accepted by its function in
    `parsers`. Raises KeyError, TypeError, ValueError or AttributeError.
    """
    return kind(**{name: _value(raw[name], annotation, parsers.get(name))
                   for name, annotation in kind.__annotations__.items()})


def records(kind, **parsers):
    """Return a function from a list of JSON objects to a tuple of records; see record()."""
    return lambda raws: tuple(map(partial(record, kind, **parsers), raws))


def _value(value, annotation, parser):
    if parser is not None:
        return parser(value)
    known, *_none = get_args(annotation) or (annotation,)
    return None if value is None and _none else PARSERS[known](value)
