"""What a report is made of, whatever it is written as."""
from dataclasses import dataclass, field

LONG = 30     # letters from which a cell is prose, and may be broken
NUMERIC = {'', *'+-0123456789'}   # what a cell with a number, or an unknown one, begins with


@dataclass(frozen=True)
class Text:
    """A paragraph, or with `items` a list under it."""

    text: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows of cells that are text already; the first column says what a row is about."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset = field(default_factory=frozenset)   # headings of columns that stand out

    def left(self):
        """Return for each column whether it is text, which begins at its left; else numbers."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.headings)
        return [number == 0 or any(len(cell) > LONG or cell[:1] not in NUMERIC for cell in cells)
                for number, cells in enumerate(columns)]


@dataclass(frozen=True)
class Picture:
    """A drawing: its file's name without ending, what it shows, and its <svg> element."""

    name: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Section:
    """A heading and what is under it: Texts, Tables and Pictures."""

    title: str
    parts: tuple
