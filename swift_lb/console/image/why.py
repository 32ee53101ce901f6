"""`swift-lb why --image CONTAINER/OBJECT`: at which point and where a part of an image is made."""
import json

from rich.console import Group
from rich.text import Text

from swift_lb.chains.query import WHY, query_of
from swift_lb.chains.registry import chain_of
from swift_lb.console import units
from swift_lb.console.columns import Column
from swift_lb.console.image.measured import Measured, cache_folder
from swift_lb.console.image.server import checked, from_environment
from swift_lb.console.table import table
from swift_lb.errors import ImageError
from swift_lb.wire.image_client import encode

CLIENT = 'X-Lb-Client'
FORMAT = 1


def about_image(name, task, says):
    """Return (JSON-ready data, rich Group) on a Task of CONTAINER/OBJECT.

    `says` is the text of X-Lb-Client; None is what `swift-lb image` of this machine says. Raises
    ImageError if the object's proxy does not explain it.
    """
    server = from_environment()
    url = server.address(checked(name))
    says = client_header(server.url, url) if says is None else says
    answer = server.get(f'{url}?{query_of(task)}&{WHY}=true', {CLIENT: says} if says else {})
    try:
        page = json.loads(answer.body)
        if page['format'] != FORMAT:
            raise ValueError
        return page, Group(*screens(name, page, says))
    except (ValueError, TypeError, KeyError):
        raise ImageError(f'{name}{unexplained(name, answer.headers.get("Content-Type", ""))}'
                         ) from None


def unexplained(name, content_type):
    """Return why there is no document on an object, which was answered in its place."""
    if chain_of(name, content_type) is None:
        return f' is of type {content_type}, of which no parts can be had'
    return ': the proxy that answered does not explain it: its pipeline lacks lb_image'


def client_header(account, url):
    """Return the X-Lb-Client with which `swift-lb image` of this machine would ask for `url`.

    `account` is its storage URL. It is '' if nothing was measured yet.
    """
    measured = Measured(cache_folder(), account, lambda: None)
    if measured.client().pixels is None:
        return ''
    version, halvings = overview_at(url)
    return encode(measured.client(overview=halvings, version=version))


def overview_at(url):
    """Return (ETag, halvings) of the overview of the object at `url`, (None, None) without one."""
    try:        # other uses of `swift-lb why` need no NumPy
        from swift_lb.console.image.overviews import Overviews
    except ModuleNotFoundError:
        return None, None
    return (Overviews(cache_folder()).of(url) or (None, None))[:2]


def screens(name, page, says):
    """Yield the rich renderables of a document, as the filter lb_image answers it."""
    client, decoder = page['client'], page['decoder']
    yield Text(f'{name}, region {",".join(map(str, page["region"]))}, reduced {page["reduce"]} '
               f'times; the client says: {says or "nothing"}')
    yield Text(f'round trip {units.duration(client["rtt"])}, '
               + (units.throughput(client['bandwidth']) if client['bandwidth'] else
                  'bandwidth unknown') + f'; {decoder_words(decoder)}'
               + (f'; kept: {", ".join(page["kept"])}' if page['kept'] else ''))
    if page['points']:
        yield table(page['points'], None, POINTS)
    else:
        instead = page['instead']
        yield Text('none of the points can be used here: ' + (
            f'the answer is {instead} all the same' if instead else 'another cluster answers'))
    for point, why in sorted(page['without'].items()):
        yield Text(f'{point}: {why}')
    if page['routes']:
        yield Text()
        yield table(page['routes'], None, ROUTES)


def decoder_words(decoder):
    """Return what a document tells of the decoder, None or a dict, as text."""
    if decoder is None:
        return 'decoder and clusters are shown only with a valid token (OS_AUTH_TOKEN)'
    return 'decoder: ' + ('none answers' if decoder['workers'] is None else
                          f'{units.plural(decoder["workers"], "worker")}, free in '
                          f'{units.duration(decoder["wait"])}')


def _seconds(term):
    return Column(term, lambda one: units.duration(one[term]))


def _of_route(term):
    return Column(term.replace(' ', '\n'), lambda one: units.duration(one['terms'].get(term)))


NAMES = (Column('point', lambda one: one['point'], right=False),
         Column('form', lambda one: one['form'], right=False))
POINTS = (*NAMES, *map(_seconds, ('data', 'server', 'net', 'client')),
          Column('sum', lambda one: units.duration(one['seconds'])),
          Column('bytes', lambda one: units.count(round(one['bytes']))),
          Column('read', lambda one: units.count(one['read'])))
ROUTES = (Column('cluster', lambda one: one['cluster'], right=False),
          Column('route', lambda one: one['route'], right=False), *NAMES,
          *map(_of_route, ('head', 'data', 'server', 'round trips', 'body', 'client')),
          Column('sum', lambda one: units.duration(one['seconds'])),
          Column('error', lambda one: units.duration(one['error'])))
