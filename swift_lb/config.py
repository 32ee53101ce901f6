"""Parse options: the texts of a conf section become values, and each fault becomes one sentence.

An option is one line of a frozen dataclass: name, type, default, parser, unit, what it is for.
`read_options` returns an instance of such a class for a filter's section. For other sections,
`options_of(cls)` is the class's table, {name: Option}, and `parse_section` applies one. A parser
takes the stripped text of an option, and returns its value or raises InvalidError.
test_conf_sample.py compares the conf samples with every table.
"""
import configparser
import difflib
import math
import re
from collections.abc import Callable
from dataclasses import MISSING, field, fields
from types import MappingProxyType
from typing import NamedTuple

from swift_lb.errors import ConfigError

PASTE = frozenset(('use', '__name__', '__file__', 'here'))     # PasteDeploy's own, in each section
SHORT = 20      # characters; a longer name that is unknown may be a key in base64 (it ends with =)
MIN_KEY = 16    # characters of a shared secret
NO_OPTIONS = MappingProxyType({})
BYTES = {None: 0, 'KiB': 10, 'MiB': 20, 'GiB': 30, 'TiB': 40}     # unit: power of 2


class InvalidError(ValueError):
    """An option does not accept a value; the message says which values it accepts."""


class Option(NamedTuple):
    """The declaration of an option of a conf file: its parser, its unit and what it is for."""

    parse: Callable     # of the stripped text; raises InvalidError
    unit: str           # of the value, '' if it has none
    reason: str         # what the option is for, as a short sentence


def option(default, parse, unit, reason):
    """Return a dataclass field with an Option; `default` is MISSING for a required option.

    `parse` makes the value of a text, `unit` is the value's unit or '', and `reason` is a short
    sentence on what the option is for.
    """
    metadata = {'option': Option(parse, unit, reason)}
    if default is not MISSING and type(default).__hash__ is None:
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata)


def options_of(cls):
    """Return {name: Option} of a dataclass whose fields were made by `option`."""
    return {one.name: one.metadata['option'] for one in fields(cls) if 'option' in one.metadata}


def read_options(cls, section, where, earlier=()):
    """Return an instance of the dataclass `cls` from a filter's section of a PasteDeploy conf.

    `section` is {name: text}, `where` names file and section in sentences. Raises ConfigError with
    the sentences `earlier` and one for each fault. If the filter has an option `key`, no sentence
    shows the value of an unknown option, which may be a misspelt key.
    """
    table, faults = options_of(cls), list(earlier)
    values = parse_section(section, table, where, faults, show_unknown='key' not in table)
    if faults:
        raise ConfigError(faults)
    return cls(**values)


def faults_of(cls, section, where):
    """Return the sentences of the ConfigError that read_options raises, () if it raises none."""
    try:
        read_options(cls, section, where)
    except ConfigError as err:
        return err.faults
    return ()


def parse_section(section, table, where, faults, *, prefix='', others=(),
                  is_ignored=PASTE.__contains__, show_unknown=True):
    """Return {name: value} of a section, {name: text}; append one sentence per fault to `faults`.

    `table` is {name: Option}, `where` names the file and the section in the sentences, and `prefix`
    stands before the table's names in the section: lb_. Names in `others` are another section's
    options: they are left out of the result, and suggested for misspelt names. Names for which
    is_ignored(name) is true are left out, too, but not suggested. The sentence on an unknown option
    shows its value only with `show_unknown`. No sentence shows a key.
    """
    values = {}
    for full_name, text in section.items():
        name = full_name.removeprefix(prefix)
        if is_ignored(full_name) or (name in others and name not in table):
            continue
        if name not in table:
            known = list(dict.fromkeys((*table, *others)))
            faults.append(_unknown(full_name, text, known, where, prefix, show_unknown))
            continue
        try:
            values[name] = table[name].parse(str(text).strip())
        except InvalidError as err:
            faults.append(f'{where}, {full_name} = {_shown(text, name)}: {err}')
    return values


def _unknown(full_name, text, known, where, prefix, show_value):
    name = full_name.removeprefix(prefix)
    near = difflib.get_close_matches(name, known, 1)
    subject = f'{full_name} = {_shown(text, name, *near)}' if show_value else full_name
    if show_value and not near and not prefix and len(name) > SHORT:
        subject = '...'
    listed = ', '.join(prefix + one for one in known)
    hint = ('there are none' if not known else f'the only one is {listed}' if len(known) == 1
            else f'did you mean {prefix}{near[0]}?' if near else f'the options are {listed}')
    return f'{where}, {subject}: unknown option; {hint}'


def _shown(text, *names):
    """Return the first line of an option's text, or `...` if one of its `names` contains `key`."""
    first, newline, _rest = str(text).partition('\n')
    return '...' if any('key' in name for name in names) else first + (newline and ' ...')


def ini_sections(text):
    """Return {section: {option: text}} of a small conf file; raises configparser.Error.

    `#` begins a comment, also behind a value; there is no section that holds for all others.
    """
    parser = configparser.ConfigParser(
        interpolation=None, default_section='', inline_comment_prefixes=('#',))
    parser.read_string(text)
    return {section: dict(parser[section]) for section in parser.sections()}


# Parsers, and functions that return one.


def one_of(*names):
    """Return a parser that returns its text if that is one of `names`."""
    def parse(text):
        if text not in names:
            raise InvalidError(f'must be one of {", ".join(names)}')
        return text
    return parse


def boolean(text):
    """Return True or False for Swift's words: true, 1, yes, on, t, y, or their opposites."""
    words_of = {**dict.fromkeys(('true', '1', 'yes', 'on', 't', 'y'), True),
                **dict.fromkeys(('false', '0', 'no', 'off', 'f', 'n'), False)}
    try:
        return words_of[text.lower()]
    except KeyError:
        raise InvalidError('must be true or false') from None


def number(text):
    """Return `text` as a finite float; Python's float() would accept "nan" and "inf" too."""
    try:
        value = float(text)
    except ValueError:
        raise InvalidError('must be a number') from None
    if not math.isfinite(value):
        raise InvalidError('must be a finite number')
    return value


def at_least(minimum, what='a number'):
    """Return a parser of a finite number, at least `minimum`; its error calls the number `what`."""
    def parse(text):
        value = number(text)
        if value < minimum:
            raise InvalidError(f'must be {what}, at least {minimum:g}')
        return value
    return parse


def seconds(minimum):
    """Return a parser of a finite number of seconds, at least `minimum`."""
    return at_least(minimum, 'a number of seconds')


def within(minimum, maximum):
    """Return a parser of a number from `minimum` to `maximum`."""
    def parse(text):
        value = number(text)
        if not minimum <= value <= maximum:
            raise InvalidError(f'must be a number from {minimum:g} to {maximum:g}')
        return value
    return parse


def whole(minimum, maximum):
    """Return a parser of an integer from `minimum` to `maximum`, written in ASCII digits."""
    def parse(text):
        if re.fullmatch('[0-9]{1,18}', text) is None or not minimum <= int(text) <= maximum:
            raise InvalidError(f'must be a whole number from {minimum} to {maximum}')
        return int(text)
    return parse


def matching(pattern, what):
    """Return a parser of text, empty or fully matching a regex; its error is: must be `what`."""
    def parse(text):
        if text and pattern.fullmatch(text) is None:
            raise InvalidError(f'must be {what}')
        return text
    return parse


def optional(parse):
    """Return a parser that returns parse(text), but '' for an empty text: then a default holds."""
    return lambda text: parse(text) if text else ''


def shared_key(text):
    """Return `text`, a shared secret of at least MIN_KEY printable characters; '' means no secret.

    Raises InvalidError for any other text.
    """
    if text and (len(text) < MIN_KEY or not text.isprintable()):
        raise InvalidError(f'must have {MIN_KEY} characters or more, on one line')
    return text


def byte_count(minimum, maximum):
    """Return a parser of a size in bytes: 1000, 64KiB, 512MiB, 1GiB; the limits are in bytes."""
    def parse(text):
        digits, unit = re.fullmatch('([0-9]{1,18}) ?([KMGT]iB)?|.*', text, re.DOTALL).groups()
        size = int(digits) << BYTES[unit] if digits else -1
        if not minimum <= size <= maximum:
            raise InvalidError(f'must be a number of bytes from {minimum} to {maximum}, such as '
                               '64KiB, 512MiB or 1GiB')
        return size
    return parse


def words(text):
    """Return a tuple of the words in `text`, which are separated by commas or blanks."""
    return tuple(text.replace(',', ' ').split())


def speed(text):
    """Return bits per second of a text such as `10G` (k, M or G), None for an empty text."""
    factor = {'k': 1e3, 'M': 1e6, 'G': 1e9}.get(text[-1:])
    try:
        value = number(text[:-1] if factor else text) * (factor or 1.0) if text else None
    except InvalidError:
        value = 0.0
    if value is not None and not 0 < value < math.inf:
        raise InvalidError('must be bits per second, such as 10G, or nothing')
    return value


def absolute_path(text):
    """Return `text` if it is a path that begins with / and has no NUL; raises InvalidError."""
    if not text.startswith('/') or '\0' in text:
        raise InvalidError('must be an absolute path')
    return text


def host_port(word, default):
    """Return (host, port) of `word`, HOST[:PORT] or [IPV6][:PORT]; without PORT it is `default`."""
    if word.startswith('['):
        host, bracket, rest = word[1:].partition(']')
        if not bracket or rest[:1] not in ('', ':'):
            raise InvalidError(f'{word!r} must be [IPV6] or [IPV6]:PORT')
        rest = rest[1:]
    else:
        if word.count(':') > 1:
            raise InvalidError(f'{word!r}: an IPv6 address must be in brackets')
        host, _colon, rest = word.partition(':')
    if not host:
        raise InvalidError(f'{word!r} must be HOST or HOST:PORT')
    try:
        return host, whole(1, 65535)(rest) if rest else default
    except InvalidError as err:
        raise InvalidError(f'the port of {word!r} {err}') from None


def endpoint(host, port):
    """Return HOST:PORT, the text that host_port() parses: an IPv6 address stands in brackets."""
    return f'[{host}]:{port}' if ':' in host else f'{host}:{port}'


# Parsers of lists, which report every wrong item.


def each(parse, items):
    """Return [parse(item), ...] of `items`; raises InvalidError with a sentence per wrong item."""
    values, wrong = tried(parse, items)
    refuse(wrong)
    return values


def tried(parse, items):
    """Return ([parse(item), ...] without refused `items`, [a sentence for each refused item])."""
    values, wrong = [], []
    for item in items:
        try:
            values.append(parse(item))
        except InvalidError as err:
            wrong.append(f'{item!r} {err}')
    return values, wrong


def refuse(wrong):
    """Raise InvalidError with the sentences in the list `wrong`, unless it is empty."""
    if wrong:
        raise InvalidError('; '.join(wrong))


def parse_piece(what, parse, text):
    """Return parse(text) of a part of an option's text; its error calls this part `what`."""
    try:
        return parse(text)
    except InvalidError as err:
        raise InvalidError(f'must have another {what}: {text!r} {err}') from None
