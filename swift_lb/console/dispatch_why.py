"""`swift-lb why --dispatch METHOD PATH`: which proxy would serve a request, and why?"""
import re
from urllib.parse import quote

from rich.console import Group
from rich.text import Text

from swift_lb.console import units
from swift_lb.console.columns import Column
from swift_lb.console.dispatch_page import parse, question
from swift_lb.console.dispatch_words import heading, rows, sentence
from swift_lb.console.fetch import STATUS_PAGE, PageServer, Subject
from swift_lb.console.poll import together
from swift_lb.console.table import table
from swift_lb.errors import StatusError
from swift_lb.wire.http_head import PRINTED

FORMAT = 1          # of the document; raised when a reader of the old one would go wrong
NO_FILTER = 'has no dispatcher ({status}): its pipeline lacks lb_dispatcher'
DISPATCH_PAGE = Subject(
    '/lb/dispatch', STATUS_PAGE.header, 'the page of its dispatcher', STATUS_PAGE.own,
    dict.fromkeys((400, 401, 403, 412), NO_FILTER) | {      # Swift's answers to an unknown path
        404: 'has no dispatcher for us to see (404): its pipeline lacks lb_dispatcher, or {key}'})


def about_request(method, path, client, urls, key):
    """Return (JSON-ready data, rich Group) on which proxy would serve a request sent to each URL.

    `client` is the IP address of the client or None; `key` is that of the proxies' pages or None.
    Raises StatusError, with one sentence, if none of the proxies at `urls` answers.
    """
    request = method_of(method), path_of(path)
    known = get_pages(urls, key, question(*request, client), parse)
    return document(*request, known), Group(*screens(*request, known))


def get_pages(urls, key, query, parse):
    """Return {url: parse(its status page, url), or the StatusError if there is none}.

    Raises StatusError, with one sentence, if none of the proxies at `urls` answers.
    """
    pages = together(lambda url: get_page(url, key, query, parse), urls)
    if all(isinstance(page, StatusError) for page in pages):
        raise StatusError('; '.join(map(str, pages)))
    return dict(zip(urls, pages, strict=True))


def get_page(url, key, query, parse):
    """Return parse(the status page of the proxy at `url`, url), or the StatusError if it fails."""
    try:
        return parse(PageServer(url, DISPATCH_PAGE, key).get(query), url)
    except StatusError as err:
        return err


def method_of(text):
    """Return the HTTP method `text` in upper case; raises StatusError if it cannot be a method."""
    if not re.fullmatch('[A-Za-z]{1,20}', text):
        raise StatusError(f'{text!r} must be a method, e.g. GET')
    return text.upper()


def path_of(text):
    """Percent-encode what HTTP cannot send in the path `text`; raises StatusError if it is none."""
    if not text.startswith('/'):
        raise StatusError(f'{text!r} must be a path as a client sends it, e.g. '
                          '/v1/AUTH_test/photos/cat')
    try:
        return quote(text, safe=PRINTED)
    except UnicodeEncodeError:
        raise StatusError(f'{text!r} is not UTF-8, as all names in Swift are') from None


def document(method, path, pages):
    """Return what `why --dispatch --json` prints of `pages`, {url: DispatchPage or StatusError}.

    Times are seconds; None means unknown.
    """
    return {'format': FORMAT, 'method': method, 'path': path, 'proxies': [
        {'url': url} | ({'error': str(page)} if isinstance(page, StatusError) else _facts(page))
        for url, page in pages.items()]}


def _facts(page):
    """Return a DispatchPage as JSON-ready data, with the proxies in the order of asking them."""
    facts = {field: getattr(page, field) for field in (
        'policy', 'here', 'generation', 'content', 'served_by')}
    return facts | {'sentence': sentence(page), 'proxies': [
        row.peer._asdict() | {'place': int(row.place) if row.place else None,
                              'expected': row.expected, 'why': row.why} for row in rows(page)]}


def screens(method, path, pages):
    """Yield the rich renderables to print of `pages`, {url: DispatchPage or StatusError}."""
    for number, (url, page) in enumerate(pages.items()):
        if number:
            yield Text()
        if isinstance(page, StatusError):
            yield Text(str(page), 'red')
        else:
            yield from map(Text, heading(url, method, path, page))
            yield table(rows(page), None, layout(page.here))
            yield Text(sentence(page))


def layout(here):
    """Return the Columns of the table of proxies; `here` is the node of the proxy asked."""
    return (
        Column('', lambda row: row.place),
        Column('node', lambda row: row.peer.name + (' (here)' if row.peer.name == here else ''),
               right=False),
        Column('address', lambda row: row.peer.address, right=False),
        Column('expected', lambda row: units.duration(row.expected)),
        Column('hop', lambda row: units.duration(row.peer.hop)),
        Column('load', lambda row: units.digits(row.peer.load, '.3g')),
        Column('in flight', lambda row: units.count(row.peer.in_flight)),
        Column('state', lambda row: row.peer.state, right=False),
        Column('why', lambda row: row.why, right=False))
