"""A manual page in the macros of man(7): sections, entries and literal text. Pure.

The project has its own because it also has pages of conf files, whose source is no parser:
argparse-manpage makes pages of parsers only, and loses a line of a help text that begins with ".".
"""
import re
import textwrap

WIDTH = 80      # characters of a line of the source; roff fills the lines that a reader sees
ESCAPES = str.maketrans({'\\': r'\e', '-': r'\-', "'": r'\(aq', '`': r'\(ga', '^': r'\(ha',
                         '~': r'\(ti'})


def escaped(text):
    """Return `text` so that roff prints it as it is; ASCII signs stay ASCII, to be copied."""
    return text.translate(ESCAPES)


def bold(text):
    """Return the roff of `text` in bold, as what is to be typed."""
    return rf'\fB{escaped(text)}\fR'


def italic(text):
    """Return the roff of `text` in italics, as what stands for something else."""
    return rf'\fI{escaped(text)}\fR'


def marked(text):
    """Return the roff of a text in which what is between backquotes is to be typed."""
    parts = text.split('`')
    if len(parts) % 2 == 0:     # one is alone, and means itself
        return escaped(text)
    return ''.join(bold(part) if place % 2 else escaped(part) for place, part in enumerate(parts))


def protected(line):
    """Return a line of roff that is no request, even if it begins with what requests begin with."""
    return rf'\&{line}' if line.startswith(('.', "'")) else line


class Page:
    """A manual page that grows; str() is its source."""

    def __init__(self, name, section, summary):
        title = escaped(name.upper())
        self._lines = [
            r'.\" Made by tools/manpages of parsers and conf samples: change those, not this file.',
            f'.TH {title} {section} "" swift\\-lb "Manual of swift\\-lb"',
            '.nh', '.ad l']     # names of commands are not hyphenated, nor lines stretched
        self.heading('NAME')
        self._lines.append(f'{escaped(name)} \\- {escaped(summary)}')

    def __str__(self):
        return '\n'.join(self._lines) + '\n'

    def heading(self, text, macro='SH'):
        """Begin a section, or with the macro SS one below it."""
        self._lines.append(f'.{macro} {escaped(text)}')

    def source(self, *lines):
        """Add lines of roff as they are."""
        self._lines.extend(lines)

    def text(self, text):
        """Add a paragraph; what is between backquotes is bold."""
        if not re.match(r'\.S[HS] ', self._lines[-1]):
            self._lines.append('.PP')
        self._fill(text)

    def entry(self, tags, texts=()):
        """Add an entry with the `tags`, roff; below it the `texts`: str, or tuples of lines."""
        for tag, macro in zip(tags, ['TP', *['TQ'] * len(tags)], strict=False):
            self._lines.extend((f'.{macro}', protected(tag)))
        for text in texts:
            (self._fill if isinstance(text, str) else self.literal)(text)

    def literal(self, lines):
        """Add lines that are to stay as they are, such as a table."""
        self._lines.extend(('.nf', *(protected(escaped(line)) for line in lines), '.fi'))

    def _fill(self, text):
        self._lines.extend(protected(line) for line in textwrap.wrap(
            marked(text), WIDTH, break_long_words=False, break_on_hyphens=False))
