"""What the options of the daemons are made of: parsers of text, each with its sentence."""
import re

from swift_lb.config import InvalidError, number
from swift_lb.wire.node_report import NAME

LEAST_KEY = 16          # characters


def whole(least, most):
    """Return a parser of an integer from `least` to `most`."""
    def parse(text):
        if re.fullmatch('[0-9]{1,18}', text) is None or not least <= int(text) <= most:
            raise InvalidError(f'must be a whole number from {least} to {most}')
        return int(text)
    return parse


def within(least, most):
    """Return a parser of a number from `least` to `most`."""
    def parse(text):
        value = number(text)
        if not least <= value <= most:
            raise InvalidError(f'must be a number from {least:g} to {most:g}')
        return value
    return parse


def matching(pattern, what):
    """Return a parser of text that is of `pattern` as a whole, or of none."""
    def parse(text):
        if text and pattern.fullmatch(text) is None:
            raise InvalidError(f'must be {what}')
        return text
    return parse


def optional(parse):
    """Return a parser that leaves no text as it is: the option is at its default then."""
    return lambda text: parse(text) if text else ''


node_name = matching(NAME, 'a name of letters, digits, ".", "_" and "-", at most 63')


def key(text):
    """Parse a key that is long enough to be one."""
    if text and (len(text) < LEAST_KEY or not text.isprintable()):
        raise InvalidError(f'must have {LEAST_KEY} characters or more, on one line')
    return text


def words(text):
    """Parse words separated by commas or blanks."""
    return tuple(text.replace(',', ' ').split())


def each(parse, items):
    """Return [parse(item), ...]; raises InvalidError with what is wrong with any of them."""
    found, wrong = tried(parse, items)
    refuse(wrong)
    return found


def tried(parse, items):
    """Return ([parse(item), ...], [what is wrong with an item, ...])."""
    found, wrong = [], []
    for item in items:
        try:
            found.append(parse(item))
        except InvalidError as err:
            wrong.append(f'{item!r} {err}')
    return found, wrong


def refuse(wrong):
    """Raise InvalidError if anything is wrong, with all that is."""
    if wrong:
        raise InvalidError('; '.join(wrong))


def part(what, parse, text):
    """Return parse(text), for a part of a longer text."""
    try:
        return parse(text)
    except InvalidError as err:
        raise InvalidError(f'must have another {what}: {text!r} {err}') from None


def host_port(word, default):
    """Parse one HOST[:PORT], an IPv6 address in brackets, into (host, port)."""
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
