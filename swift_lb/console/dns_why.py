"""`swift-lb why --dns NAME`: which addresses DNS answers with for a name, and why."""
from rich.console import Group
from rich.text import Text

from swift_lb.console import dns_page, units
from swift_lb.console.columns import Column
from swift_lb.console.dns_words import (
    PROXIES,
    about,
    answers_of,
    heading,
    name_of,
    reason,
    standing,
)
from swift_lb.console.fetch import PageServer, of_daemon
from swift_lb.console.table import table
from swift_lb.zone.records import text_of

DEFAULT_URL = 'http://127.0.0.1:6210'
FORMAT = 1          # of the document; increased when old readers would misread it
DOCUMENT = of_daemon('/v1/dns', 'swift-lb-dns', "the DNS service's own URL")


def about_name(name, url, key):
    """Return (JSON-ready data, lines to print) about the answers of the DNS service for a name.

    `url` and `key` are those of the service; with None, DEFAULT_URL and no key. Raises StatusError,
    with one sentence, if the service does not answer or `name` is not in its zone.
    """
    wanted, url = name_of(name), url or DEFAULT_URL
    page = dns_page.parse(PageServer(url, DOCUMENT, key).get(), url)
    what, covering = standing(wanted, page)
    sentence = about(text_of(wanted), what, covering and text_of(covering), page)
    families = page.families if what == PROXIES else ()
    return (document(url, text_of(wanted), what, sentence, page, families),
            Group(Text(sentence), *screen(url, page, families)))


def document(url, name, what, sentence, page, families):
    """Return what `why --dns --json` prints about a name: seconds, fractions, and None for unknown.

    `what` and `sentence` say what the name is in the zone; `families` are the Families to
    print.
    """
    return {'format': FORMAT, 'url': url, 'name': name, 'is': what, 'sentence': sentence,
            **{field: value for field, value in page._asdict().items() if field != 'families'},
            'families': [one._asdict() | {'proxies': [
                proxy._asdict() | {'reason': reason(proxy, one, page)} for proxy in one.proxies]}
                for one in families]}


def screen(url, page, families):
    """Yield rich renderables on the `families`, a table for each; nothing if there are none."""
    for line in heading(url, page) if families else ():
        yield Text(line)
    for one in families:
        yield Text()
        yield Text(answers_of(one, page))
        yield table(one.proxies, None, layout(one, page))


def layout(family, page):
    """Return the Columns of the table of a Family's proxies."""
    return (
        Column('node', lambda proxy: proxy.node, right=False),
        Column('address', lambda proxy: proxy.address, right=False),
        Column('state', lambda proxy: proxy.state or units.UNKNOWN, right=False),
        Column('target', lambda proxy: units.share(proxy.target)),
        Column('given', lambda proxy: units.share(proxy.given_share)),
        Column('in an\nanswer', lambda proxy: units.share(proxy.chance)),
        Column('answers', lambda proxy: units.count(proxy.given)),
        Column('expected', lambda proxy: units.count(round(proxy.expected))),
        Column('why', lambda proxy: reason(proxy, family, page), right=False))
