"""Manual pages of the conf files, from their samples in etc/. Pure."""
import re

from roff import Page, bold

HEADING = re.compile(r'(?:# )?(\[\S+\])$')
SETTING = re.compile(r'(?:# )?([a-z][a-z0-9_]* =.*)$')
LISTED = '  '       # a line of a comment that is indented by this is one of a table


def parts(sample):
    """Yield what a conf sample has, in order.

    It is ('heading', '[NAME]'), ('text', texts), or ('settings', ['NAME = DEFAULT', ...], texts).
    `texts` are those of the comment above: str for prose, tuples of lines for tables.
    """
    for block in re.split(r'\n\s*\n', sample.strip()):
        settings, comment = [], []

        def collected():
            nonlocal settings, comment
            texts, kept = texts_of(comment), settings
            settings, comment = [], []
            if kept:
                yield 'settings', kept, texts
            elif texts:
                yield 'text', texts
        for line in block.split('\n'):
            if heading := HEADING.match(line):
                yield 'heading', heading[1]
            elif setting := SETTING.match(line):
                settings.append(setting[1].rstrip())
            else:
                if settings:
                    yield from collected()
                comment.append(line.removeprefix('#').removeprefix(' '))
        yield from collected()


def texts_of(comment):
    """Return the lines of a comment as texts: paragraphs, and tuples of the lines of tables."""
    texts = []
    for line in comment:
        if line.startswith(LISTED):
            if not (texts and isinstance(texts[-1], tuple)):
                texts.append(())
            texts[-1] += (line,)
        elif texts and isinstance(texts[-1], str):
            texts[-1] += f' {line}'
        else:
            texts.append(line)
    return texts


def add(page, sample):
    """Add the sections, settings and comments of a conf `sample` to a Page."""
    for kind, first, *rest in parts(sample):
        if kind == 'heading':
            page.heading(first, 'SS')
        elif kind == 'settings':
            page.entry([bold(one) for one in first], rest[0])
        else:
            for text in first:
                (page.text if isinstance(text, str) else page.literal)(text)


def server_page(sample):
    """Return the page of lb-server.conf, from its `sample`."""
    page = Page('lb-server.conf', 5, 'configuration of the daemons of swift-lb')
    page.heading('DESCRIPTION')
    add(page, sample)
    page.heading('SEE ALSO')
    page.text('swift-lb-agent(1), swift-lb-dns(1), swift-lb-image(1), swift-lb-options(7), '
              'swift-lb-check(1)')
    return page


def options_page(samples):
    """Return the page of what swift-lb adds to confs of Swift; `samples` is {file: its sample}."""
    page = Page('swift-lb-options', 7, 'options of swift-lb in the conf files of Swift')
    for name, sample in samples.items():
        page.heading(name)
        add(page, sample)
    page.heading('SEE ALSO')
    page.text('swift-lb(1), swift-lb-check(1), lb-server.conf(5)')
    return page
