"""The elements of a report, independent of its file format."""
from dataclasses import dataclass, field

LONG = 30     # characters from which a cell is prose, and may be wrapped
NUMERIC = {'', *'+-0123456789'}   # the first characters of numeric or unknown cells


@dataclass(frozen=True)
class Text:
    """A paragraph, which a list follows if there are `items`."""

    text: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportTable:
    """A table whose cells are all texts; the first column names the subject of its row."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset = field(default_factory=frozenset)   # headings of highlighted columns

    def left(self):
        """Return for each column True if it is text, aligned left, and False if it is numbers."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.headings)
        return [number == 0 or any(len(cell) > LONG or cell[:1] not in NUMERIC for cell in cells)
                for number, cells in enumerate(columns)]


@dataclass(frozen=True)
class Picture:
    """A chart: the name of its file without suffix, what it shows, and its <svg> element."""

    name: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Section:
    """A heading, and the Texts, ReportTables and Pictures under it."""

    title: str
    parts: tuple
