"""A file of results with one JSON document a line, written as runs end.

An interrupted experiment continues from these lines. A line that its writer did not complete is
ignored, and the next document begins on a new line.
"""
import json


def read(path, parse):
    """Return parse(document) of each line of the Path `path`; [] if the file does not exist.

    Lines that are no JSON, or of which `parse` raises ValueError, KeyError, TypeError or
    AttributeError, are left out. Raises OSError if the file cannot be read.
    """
    parsed = []
    for line in path.read_text('utf-8', 'replace').splitlines() if path.exists() else ():
        try:
            parsed.append(parse(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return parsed


def append(path, document):
    """Append `document` to the file `path`, a Path, as one line of JSON; raises OSError."""
    with path.open('a+b') as file:
        file.write(_missing_line_end(file) + json.dumps(document).encode() + b'\n')


def _missing_line_end(file):
    """Return the line end that `file` lacks if its last writer was killed, otherwise b''."""
    end = file.seek(0, 2)
    if not end:
        return b''
    file.seek(end - 1)
    return b'' if file.read(1) == b'\n' else b'\n'
