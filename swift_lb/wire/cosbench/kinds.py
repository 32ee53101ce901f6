"""Parsers of attributes and config values: each returns the value, or raises ValueError.

The error's message, "must be ...", continues a sentence that begins with the quoted text.
"""
import re
from urllib.parse import urlsplit

LARGEST = 2**31 - 1     # COSBench counts in 32 bits
MAX_LONG = 2**63 - 1
LONGEST_NAME = 200  # bytes: w17-NAME-rt-histogram.csv must be a valid file name
CONTROL = re.compile('[\x00-\x1f\x7f-\x9f\u2028\u2029]')
BLANKS = ' \t\r\n'   # XML's white space, which COSBench strips from values
YES, NO = {'true', 'yes', 'on'}, {'false', 'no', 'off'}


def text(value):
    """Return `value` unchanged: any text is accepted."""
    return value


def some_text(value):
    """Return `value` if it is not empty, else raise ValueError."""
    if not value:
        raise ValueError('must not be empty')
    return value


def header(value):
    """Return `value` if it is ASCII without control characters, as HTTP headers need it."""
    if not value.isascii() or CONTROL.search(value):
        raise ValueError('must be ASCII, as it goes into an HTTP header')
    return value


def whole(low, high=LARGEST):
    """Return a parser of texts that are whole numbers from `low` to `high`."""
    def kind(value):
        if not re.fullmatch('[+-]?[0-9]{1,19}', value) or not low <= int(value) <= high:
            raise ValueError(f'must be a whole number from {low} to {high}')
        return int(value)
    return kind


def milliseconds(low):
    """Return a parser of whole milliseconds, `low` or more, which returns them as seconds."""
    def kind(value):
        try:
            return whole(low)(value) / 1000
        except ValueError:
            raise ValueError(f'must be a whole number of milliseconds, {low} or more') from None
    return kind


def positive(value):
    """Return the number in the text `value` as a float; it must be above 0."""
    if not re.fullmatch(r'[0-9]{1,12}(\.[0-9]{1,12})?', value) or not float(value):
        raise ValueError('must be a number above 0, like 250 or 0.5')
    return float(value)


def fraction(value):
    """Return the number in the text `value` as a float; it must be from 0 to 1."""
    if not re.fullmatch(r'[0-9](\.[0-9]{1,12})?|\.[0-9]{1,12}', value) or float(value) > 1:
        raise ValueError('must be a probability from 0 to 1')
    return float(value)


def flag(value):
    """Return True for true, yes or on, and False for false, no or off, in any letter case."""
    if value.lower() not in YES | NO:
        raise ValueError('must be true or false')
    return value.lower() in YES


def one_of(*known):
    """Return a parser that accepts only the words in `known`."""
    def kind(value):
        if value not in known:
            raise ValueError(f'must be one of {", ".join(known)}')
        return value
    return kind


def url(value):
    """Return `value` if it is an http or https URL with a host, else raise ValueError."""
    try:
        parts = urlsplit(value)
        good = (parts.scheme in ('http', 'https') and parts.hostname and parts.port != 0
                and parts.netloc.isascii())
    except ValueError:
        good = False
    if not good or re.search(r'\s', value):
        raise ValueError('must be a URL, like http://127.0.0.1:8080/auth/v1.0')
    return value


def urls(value):
    """Return a tuple of the URLs in `value`, which are separated by commas."""
    return tuple(url(part.strip()) for part in value.split(','))


def one_name(value):
    """Return `value` if it can be part of a file name and of a CSV line, else raise ValueError."""
    if not value.strip():
        raise ValueError('must not be empty')
    if CONTROL.search(value):
        raise ValueError('must not have control characters in it')
    if len(value.encode()) > LONGEST_NAME:
        raise ValueError(f'must not be longer than {LONGEST_NAME} bytes, as files are named after '
                         'it')
    return value


def file_name(value):
    """Return `value` if it can be a file name and is no path, else raise ValueError."""
    if '/' in value or value in ('.', '..'):
        raise ValueError('must not be a path, as files are named after it; leave out any "/"')
    return one_name(value)


def stage_name(value):
    """Return `value` if it is a file name without `;`, as a workstage's name must be."""
    if ';' in value:
        raise ValueError('must not have a ";" in it, which separates names for COSBench')
    return file_name(value)


def name_part(value):
    """Return `value`, a prefix or suffix of a container's name, if it contains no slash."""
    if '/' in value:
        raise ValueError('must not have a "/" in it: a container of Swift can not')
    return value


def file_selection(value):
    """Return the kind of Selector that the first letter of `value` names: `r...` is `range`."""
    letters = {'c': 'constant', 'u': 'uniform', 'r': 'range', 's': 'sequential'}
    if value[:1] not in letters:
        raise ValueError('must begin with the letter of a selector: s, r, u or c')
    return letters[value[0]]
