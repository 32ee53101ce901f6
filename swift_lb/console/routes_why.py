"""`swift-lb why --clusters METHOD PATH`: by which route would a read be served, and why?"""
import argparse

from rich.console import Group
from rich.text import Text

from swift_lb.console import units
from swift_lb.console.columns import Column
from swift_lb.console.dispatch_why import get_pages, method_of, path_of
from swift_lb.console.routes_page import parse, question
from swift_lb.console.table import table
from swift_lb.errors import StatusError

FORMAT = 1          # of the JSON document
READS = 'GET', 'HEAD'
TERMS = 'head', 'round trips', 'body'
LOCAL, FETCH = 'local', 'fetch'


def size(text):
    """Parse bytes for argparse: a whole number."""
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise argparse.ArgumentTypeError(f'{text!r} must be a number of bytes')
    return int(text)


def about_read(method, path, args, urls, key):
    """Return (JSON-ready data, rich Group) on the routes of a read sent to the proxy at each URL.

    `args` has `client`, `size`, `moment` and `follows`; `key` is that of the proxies' pages or
    None. Raises StatusError, with one sentence, if the request is no read of an object, or none of
    the proxies at `urls` answers.
    """
    method, path = method_of(method), path_of(path)
    if method not in READS or path.partition('?')[0].count('/') < 4:
        raise StatusError('only GET and HEAD of objects may leave a cluster, e.g. GET '
                          '/v1/AUTH_test/photos/cat')
    pages = get_pages(urls, key, question(
        method, path, args.client, args.size, args.moment, args.follows), parse)
    return document(method, path, pages), Group(*screens(method, path, pages))


def document(method, path, pages):
    """Return what `why --clusters --json` prints of `pages`, {url: RoutesPage or StatusError}."""
    return {'format': FORMAT, 'method': method, 'path': path, 'proxies': [
        {'url': url} | ({'error': str(page)} if isinstance(page, StatusError) else
                        page._asdict() | {'sentence': sentence(page), 'routes': [
                            route._asdict() for route in page.routes]})
        for url, page in pages.items()]}


def screens(method, path, pages):
    """Yield the rich renderables to print of `pages`, {url: RoutesPage or StatusError}."""
    for count, (url, page) in enumerate(pages.items()):
        if count:
            yield Text()
        if isinstance(page, StatusError):
            yield Text(str(page), 'red')
            continue
        yield Text(f'{method} {path}: content class {page.content}, {page.size:,.0f} bytes, '
                   f'client in {page.network or "an unknown network"}, '
                   + f'round trip {units.duration(page.client) if page.client else "unknown"}')
        yield Text(f'as a worker of {url} in cluster {page.here} knows the clusters, '
                   f'policy {page.policy}, decided {page.moment}')
        yield table(page.routes, None, COLUMNS)
        yield Text(sentence(page))


def sentence(page):
    """Return a sentence on how the read of a RoutesPage would be served."""
    first, *others = [one for one in page.routes if one.place is not None] or [None]
    if first is None:
        return f'answered 404: {page.stays or "no other cluster is asked"}'
    if first.kind == LOCAL:
        return (f'served here: {page.stays or first.why or "no other route is chosen"}'
                + (f'; {page.hedge} is asked too once it takes {units.duration(page.late)}'
                   if page.late is not None else ''))
    if first.kind != FETCH:
        return f'the client is redirected to {first.cluster}'
    return f'fetched from {first.cluster}; if it does not answer, {_then(others)}'


def _then(others):
    if not others:
        return 'answered 404'
    route = others[0]
    return {LOCAL: 'served here', FETCH: f'from {route.cluster}'}.get(
        route.kind, f'the client is redirected to {route.cluster}')


def _term(name):
    return Column(name.replace(' ', '\n'), lambda one: units.duration(one.terms.get(name)))


COLUMNS = (
    Column('', lambda one: str(one.place or '')),
    Column('cluster', lambda one: one.cluster, right=False),
    Column('route', lambda one: one.kind, right=False),
    *map(_term, TERMS),
    Column('sum', lambda one: units.duration(one.seconds)),
    Column('error', lambda one: units.duration(one.forecast_error)),
    Column('reads', lambda one: units.count(one.reads)),
    Column('their\nerror', lambda one: units.duration(one.error)),
    Column('their\ngain', lambda one: units.signed(one.gain)),
    Column('credits', lambda one: units.digits(one.credits, '.1f')),
    Column('age', lambda one: units.duration(one.age)),
    Column('why', lambda one: one.why, right=False))
