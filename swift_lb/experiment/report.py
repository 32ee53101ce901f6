"""The files of a report: a page, a summary in Markdown, and its charts."""
from swift_lb.drawing import html, markdown
from swift_lb.drawing.document import Picture
from swift_lb.drawing.svg import standalone

PAGE, SUMMARY = 'report.html', 'summary.md'


def write(title, sections, folder):
    """Write report.html, summary.md and the charts of `sections` into the Path `folder`.

    Returns the Paths of the page and the summary; raises OSError.
    """
    charts = folder / markdown.FOLDER
    charts.mkdir(exist_ok=True)
    for part in (part for section in sections for part in section.parts):
        if isinstance(part, Picture):
            (charts / f'{part.name}.svg').write_text(standalone(part.svg), 'utf-8')
    (folder / SUMMARY).write_text(markdown.render(title, sections), 'utf-8')
    (folder / PAGE).write_text(html.render(title, sections), 'utf-8')
    return folder / PAGE, folder / SUMMARY
