"""The parameters of a request by which a client asks for a part of an image. Pure.

    lb_region=X,Y,WIDTH,HEIGHT      pixels of the full resolution; without it, the whole image
    lb_reduce=N                     halvings of the resolution; 0 by default
    lb_format=png, or raw           of pixels; without it, the server chooses
    lb_why=true                     the answer explains the choice, instead of making the part
"""
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote_plus

from swift_lb.chains.chain import FORMS, MOST_REDUCE, Region, Task
from swift_lb.errors import BAD_REQUEST, ChainError

REGION, REDUCE, FORMAT, WHY = PARAMETERS = 'lb_region', 'lb_reduce', 'lb_format', 'lb_why'
EITHER = 'lb_re'        # begins the names of the two of which a request for a part has one
MOST = 1 << 32          # pixels of a side, by the format JPEG 2000


class AskedPart(NamedTuple):
    """What a query asks for."""

    task: Task
    form: str       # one of FORMS, '' if the server chooses
    rest: str       # the query without these parameters
    why: bool = False


def parameters(query):
    """Return {name: text} of PARAMETERS in a query string, None if it asks for no part."""
    if EITHER not in query:     # most requests
        return None
    found = {name: text for name, text in parse_qsl(query, keep_blank_values=True)
             if name in PARAMETERS}
    return found if REGION in found or REDUCE in found else None


def asked_part(query):
    """Return the AskedPart of a query string, None if it asks for no part.

    Raises ChainError with status 400 and a sentence for a parameter that is wrong.
    """
    asked = parameters(query)
    if asked is None:
        return None
    reduce = asked.get(REDUCE, '0')
    if not reduce.isdecimal() or len(reduce) > 2 or int(reduce) > MOST_REDUCE:
        raise ChainError(f'{REDUCE}={reduce[:20]} must be a number from 0 to {MOST_REDUCE}',
                         BAD_REQUEST)
    form, why = asked.get(FORMAT, ''), asked.get(WHY, 'false')
    if form not in ('', *FORMS):
        raise ChainError(f'{FORMAT}={form[:20]} must be {" or ".join(FORMS)}', BAD_REQUEST)
    if why not in ('true', 'false'):
        raise ChainError(f'{WHY}={why[:20]} must be true or false', BAD_REQUEST)
    region = None if REGION not in asked else region_of(asked[REGION])
    rest = '&'.join(pair for pair in query.split('&')
                    if unquote_plus(pair.partition('=')[0]) not in PARAMETERS)
    return AskedPart(Task(region, int(reduce)), form, rest, why == 'true')


def region_of(text):
    """Return the Region of `X,Y,WIDTH,HEIGHT`; raises ChainError for another text."""
    numbers = text.split(',')
    if len(numbers) != 4 or not all(one.isdecimal() and len(one) <= 10 for one in numbers):
        raise ChainError(f'{REGION}={text[:50]} must be X,Y,WIDTH,HEIGHT, four whole numbers',
                         BAD_REQUEST)
    region = Region(*map(int, numbers))
    if not region.width or not region.height:
        raise ChainError(f'{REGION}={text}: WIDTH and HEIGHT must be at least 1', BAD_REQUEST)
    if max(region) >= MOST:
        raise ChainError(f'{REGION}={text}: no image has so many pixels', BAD_REQUEST)
    return region


def query_of(task):
    """Return the query string that asks for a Task."""
    region = f'{REGION}={",".join(map(str, task.region))}&' if task.region else ''
    return f'{region}{REDUCE}={task.reduce}'
