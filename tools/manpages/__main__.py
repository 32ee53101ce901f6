"""Write the manual pages, doc/man/, and the completions of shells, doc/completion/.

    .venv/bin/python tools/manpages

They come from the parsers of the commands and from the conf samples; they are in the repository so
that a package needs no program to build them. test/unit/test_manpages.py fails if an option is
changed and this is not run.
"""
import sys
from pathlib import Path

from completion import completions
from pages import every_page

from swift_lb.cli import parser_for

ROOT = Path(__file__).resolve().parents[2]


def main():
    """Write all files; remove the pages of commands that are gone; return the exit status."""
    folder = ROOT / 'doc' / 'man'
    for old in folder.glob('man?/*'):
        old.unlink()
    for path, page in every_page(ROOT / 'etc').items():
        (folder / path).write_text(str(page), encoding='utf-8')
    for path, text in completions(parser_for(None)).items():
        (ROOT / 'doc' / 'completion' / path).write_text(text, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
