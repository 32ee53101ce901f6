"""The programs of tools/manpages, and what a manual page says that there is."""
import itertools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAN, COMPLETION = ROOT / 'doc' / 'man', ROOT / 'doc' / 'completion'

sys.path.append(str(ROOT / 'tools' / 'manpages'))   # its files import each other by plain names


def plain(roff):
    """Return a line of a page without fonts and escapes."""
    text = re.sub(r'\\f[BIR]|\\&', '', roff)
    return re.sub(r'\\(\(aq|\(ga|\(ha|\(ti|e|-)', lambda match: {
        '(aq': "'", '(ga': '`', '(ha': '^', '(ti': '~', 'e': '\\', '-': '-'}[match[1]], text)


def sections(page):
    """Return {heading: lines} of the source of a page; a heading of .SS stands like one of .SH."""
    parts = re.split(r'^\.S[HS] (.*)\n', page, flags=re.MULTILINE)
    return {plain(title): [plain(line) for line in body.split('\n')]
            for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def tags(lines):
    """Return the tag of each entry in the lines of a section."""
    return [tag for macro, tag in itertools.pairwise(lines) if macro in ('.TP', '.TQ')]
