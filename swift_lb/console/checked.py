"""Checks of documents from other processes: every value has the expected type. Pure."""
import json
from functools import partial
from typing import get_args

from swift_lb.drawing.text import printable
from swift_lb.errors import StatusError


def read(body, url, whose):
    """Return the JSON data in `body`, the response of `url`; raises StatusError if it is not JSON.

    The error message asks whether the sender is a `whose`, for example a `swift-lb-agent`.
    """
    try:
        return json.loads(body, parse_constant=_not_a_number)
    except (ValueError, RecursionError):
        raise StatusError(f'{url} answers with something that is not JSON: is it a '
                          f'{whose}?') from None


def _not_a_number(text):
    raise ValueError(text)


def made(make, raw, url, what):
    """Return make(raw), an object made from `raw`, a parsed JSON document.

    Raises StatusError if a value is missing or of the wrong type; it says that `url` has
    `what`, for example a page with a fault in it.
    """
    try:
        return make(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as err:
        raise StatusError(f'{url} has {what} ({type(err).__name__}: {err})') from None


def of_daemon(body, url, program, whose, known, page):
    """Return page(raw), where `raw` is the JSON document in `body` that a daemon at `url` sent.

    `page(raw)` makes the object to return. Raises StatusError if the document is of another kind,
    or its format number is not `known`. Error messages contain `program`, such as
    `swift-lb-agent`, and `whose`, the kind of daemon, such as `an agent`.
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
    """Return `value`, a text, with control characters replaced; raises ValueError if it is none."""
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is not a text')
    return printable(value)


def texts(values):
    """Return the list `values` as a tuple; raises ValueError if one of them is not a text."""
    return tuple(map(text, values))


def flag(value):
    """Return `value` if it is true or false; else raises ValueError."""
    if not isinstance(value, bool):
        raise ValueError(f'{value!r} is neither true nor false')
    return value


PARSERS = {int: number, float: number, str: text, bool: flag, tuple: texts}


def record(kind, raw, **parsers):
    """Return a NamedTuple of the class `kind` with the values of the JSON object `raw`.

    Keys of `raw` that are no fields are ignored; fields with a default may be absent, as in
    documents of older versions. A value must have the type of its field's
    annotation or, if `parsers` has a function for the field, be accepted by this function.
    Raises KeyError, TypeError, ValueError or AttributeError.
    """
    return kind(**{name: _value(raw[name], annotation, parsers.get(name))
                   for name, annotation in kind.__annotations__.items()
                   if name in raw or name not in kind._field_defaults})


def records(kind, **parsers):
    """Return a function that makes a tuple of `kind` records from a JSON list; see record()."""
    return lambda raws: tuple(map(partial(record, kind, **parsers), raws))


def _value(value, annotation, parser):
    if parser is not None:
        return parser(value)
    known, *_none = get_args(annotation) or (annotation,)
    return None if value is None and _none else PARSERS[known](value)
