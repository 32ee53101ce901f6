"""The options that `top`, `why` and `image` share, and their parsers."""
import argparse
import math
import re
import urllib.parse

from swift_lb.chains.query import region_of
from swift_lb.errors import ChainError, StatusError

DEFAULT_URL = 'http://127.0.0.1:8080'
INTERVAL = re.compile(r'([0-9]+\.?[0-9]*|\.[0-9]+) ?(ms|s|min|)$')
MIN_INTERVAL, MAX_INTERVAL = 0.1, 3600.0   # seconds


def add_key(parser):
    """Add --key and --key-file, of which a command takes at most one, to an argparse parser."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument('--key', help='of the filter that is asked: lb_status, with --dispatch '
                                      'lb_dispatcher; others on this machine can see it in the '
                                      'list of processes')
    either.add_argument('--key-file', metavar='FILE', help='a file with the key in it')


def key_of(args):
    """Return the key given by `args`, or None; raises StatusError if it cannot be a key."""
    key = args.key
    if args.key_file is not None:
        try:
            with open(args.key_file, encoding='utf-8') as file:
                key = file.read()
        except (OSError, UnicodeDecodeError) as err:
            raise StatusError(f'--key-file {args.key_file}: '
                              f'{getattr(err, "strerror", None) or err}') from None
    if key is None:
        return None
    if not key.strip().isprintable() or not key.strip():
        raise StatusError('the key must be one line of text')
    return key.strip()


def url(text):
    """Check a URL http[s]://HOST[:PORT] for argparse; return it without a slash at the end."""
    try:
        parts = urllib.parse.urlsplit(text.rstrip('/'))
        good = (parts.scheme in ('http', 'https') and parts.hostname and parts.port != 0
                and parts.hostname.encode('idna')       # raises for an empty label
                and '@' not in parts.netloc and not re.search(r'[\s\x00-\x1f]', text)
                and not (parts.path or parts.query or parts.fragment))
    except ValueError:
        good = False
    if not good:
        raise argparse.ArgumentTypeError(f'{text!r} must be http://HOST[:PORT] or '
                                         'https://HOST[:PORT], and no more')
    return parts.geturl()


def interval(text):
    """Parse a time for argparse, such as 500ms, 1min, 1s or 2 (without a unit); return seconds."""
    match = INTERVAL.match(text)
    seconds = float(match[1]) * {'ms': 1e-3, 'min': 60}.get(match[2], 1) if match else math.nan
    if not MIN_INTERVAL <= seconds <= MAX_INTERVAL:
        raise argparse.ArgumentTypeError(f'{text!r} must be a time such as 1s or 500ms, from '
                                         f'{MIN_INTERVAL:g} s to {MAX_INTERVAL:g} s')
    return seconds


def storage_policy(text):
    """Parse the index of a storage policy for argparse; return a whole number."""
    if not re.fullmatch('[0-9]{1,9}', text):
        raise argparse.ArgumentTypeError(f'{text!r} must be the index of a storage policy: 0, 1, '
                                         '...')
    return int(text)


def region(text):
    """Parse X,Y,WIDTH,HEIGHT for argparse."""
    try:
        return region_of(text)
    except ChainError as err:
        raise argparse.ArgumentTypeError(str(err).partition('=')[2]) from None


def tile(text):
    """Parse the columns and rows of a tile for argparse."""
    if not re.fullmatch('[0-9]{1,10}', text) or not int(text):
        raise argparse.ArgumentTypeError(f'{text!r} must be a number of pixels, at least 1')
    return int(text)
