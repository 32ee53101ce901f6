"""A report as Markdown with tables; its charts are separate files."""
from swift_lb.drawing.document import Picture, ReportTable, Text

FOLDER = 'figures'


def render(title, sections):
    """Return a report in Markdown, which refers to its charts as FOLDER/NAME.svg."""
    lines = [f'# {title}', '']
    for section in sections:
        lines += [f'## {section.title}', '']
        for part in section.parts:
            lines += [*WRITERS[type(part)](part), '']
    return '\n'.join(lines)


def _text(part):
    return [_escaped(part.text), *(('', *(f'- {_escaped(item)}' for item in part.items))
                                   if part.items else ())]


def _table(part):
    yield f'**{_escaped(part.caption)}**'
    yield ''
    yield _row([f'**{heading}**' if heading in part.bold else heading for heading in part.headings])
    yield '|' + '|'.join('---' if left else '--:' for left in part.left()) + '|'
    for row in part.rows:
        yield _row(row)


def _row(cells):
    return '| ' + ' | '.join(_escaped(cell).replace('|', '\\|') for cell in cells) + ' |'


def _picture(part):
    return [f'![{_escaped(part.caption)}]({FOLDER}/{part.name}.svg)', '', _escaped(part.caption)]


def _escaped(text):
    return text.replace('<', '&lt;').replace('\n', ' ')


WRITERS = {Text: _text, ReportTable: _table, Picture: _picture}
