"""A report as one self-contained HTML file with styles and charts."""
from html import escape

from swift_lb.drawing import svg
from swift_lb.drawing.document import LONG, Picture, ReportTable, Text

STYLE = '''
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ddd }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px }
caption { text-align: left; font-weight: 600; padding: .5rem 0 }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #eee;
         white-space: nowrap }
.text { text-align: left }
td.long { white-space: normal; text-align: left; min-width: 12rem }
.best { background: #eef5ee }
.wide { overflow-x: auto; margin: 1rem 0 }
figure { margin: 1.5rem 0 }
figcaption { color: #555 }
code { background: #f4f4f4; padding: 0 .2rem }
'''


def render(title, sections):
    """Return an HTML page with the title and the Sections `sections`, as text."""
    body = ''.join(f'<h2>{escape(section.title)}</h2>\n'
                   + ''.join(WRITERS[type(part)](part) for part in section.parts)
                   for section in sections)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
            f'<style>{STYLE}{svg.CSS}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}</body></html>\n')


def _text(part):
    items = ''.join(f'<li>{_inline(item)}</li>' for item in part.items)
    return f'<p>{_inline(part.text)}</p>\n' + (f'<ul>{items}</ul>\n' if items else '')


def _inline(text):
    """Escape `text`, and convert `words` in backquotes to code, as Markdown does."""
    pieces = escape(text).split('`')
    return ''.join(f'<code>{piece}</code>' if number % 2 and number < len(pieces) - 1 else piece
                   for number, piece in enumerate(pieces))


def _table(part):
    marked = [' class="text"' if left else ' class="best"' if heading in part.bold else ''
              for left, heading in zip(part.left(), part.headings, strict=True)]
    head = ''.join(f'<th{mark}>{escape(heading)}</th>'
                   for mark, heading in zip(marked, part.headings, strict=True))
    rows = ''.join('<tr>' + ''.join(_cell(cell, mark) for mark, cell in
                                    zip(marked, row, strict=True)) + '</tr>\n'
                   for row in part.rows)
    return (f'<div class="wide"><table><caption>{_inline(part.caption)}</caption>'
            f'<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n')


def _cell(text, mark):
    kind = ' class="long"' if len(text) > LONG else mark
    return f'<td{kind}>{_inline(text)}</td>'


def _picture(part):
    return f'<figure>{part.svg}<figcaption>{_inline(part.caption)}</figcaption></figure>\n'


WRITERS = {Text: _text, ReportTable: _table, Picture: _picture}
