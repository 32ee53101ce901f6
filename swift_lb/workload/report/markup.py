"""HTML elements whose text is escaped, so that text of a workload file cannot become markup."""
from html import escape

from swift_lb.drawing.text import printable


class Markup(str):
    """A str that is HTML already; any other text is escaped when it is inserted."""

    __slots__ = ()


def tag(name, *parts, **attributes):
    """Return the element `name` around `parts`; the keyword class_ sets the attribute class."""
    head = ''.join(f' {key.rstrip("_")}="{escape(printable(str(value)))}"'
                   for key, value in attributes.items())
    return Markup(f'<{name}{head}>{joined(parts)}</{name}>')


def joined(parts):
    """Return the concatenation of `parts`; those that are not Markup are escaped."""
    return Markup(''.join(part if isinstance(part, Markup) else escape(printable(str(part)))
                          for part in parts))


def lines(texts):
    """Return `texts` as an unordered list."""
    return tag('ul', *(tag('li', text) for text in texts))


def table(headings, rows, left=1):
    """Return a table; the first `left` columns are texts, the others numbers.

    A cell is a str or a Markup.
    """
    def row(cell, texts):
        return tag('tr', *(tag(cell, text, class_='text') if column < left else tag(cell, text)
                           for column, text in enumerate(texts)))
    return tag('div', tag('table', tag('thead', row('th', headings)),
                          tag('tbody', *(row('td', texts) for texts in rows))), class_='wide')
