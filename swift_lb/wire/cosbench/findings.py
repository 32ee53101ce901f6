"""What is wrong or odd in a workload file, gathered while it is read, to be told all at once."""
import difflib

MOST = 100       # of each; a file with more is not a workload with slips in it
SHOWN = 60       # characters of a value that a sentence repeats


class Findings:
    """Faults, which stop a workload from being run, and warnings, which do not."""

    def __init__(self):
        """Begin with none."""
        self._faults, self._warnings = [], []

    def fault(self, line, sentence):
        """Keep what has to be put right."""
        self._faults.append((line, sentence))

    def warn(self, line, sentence):
        """Keep what may not do what its author thinks."""
        self._warnings.append((line, sentence))

    def unknown(self, line, what, name, known):
        """Warn that nobody reads `name`; `known` are the names that are read in its place."""
        if len(self._warnings) < MOST:  # looking for the likely name is not cheap
            self.warn(line, f'{what} {shown(name)} is unknown and ignored{likely(name, known)}')
        else:
            self.warn(line, '')

    @property
    def faults(self):
        """Return the faults as sentences, by line."""
        return told(self._faults, 'faults')

    @property
    def warnings(self):
        """Return the warnings as sentences, by line."""
        return told(self._warnings, 'warnings')


def told(found, kind):
    """Return the (line, sentence) pairs as `line N: sentence`, by line, each once; MOST at most."""
    ordered = sorted(dict.fromkeys(found[:MOST]), key=lambda pair: pair[0])
    more = [(found[MOST][0], f'and {len(found) - MOST} more {kind}')] if len(found) > MOST else []
    return tuple(f'line {line}: {sentence}' for line, sentence in ordered + more)


def likely(name, known):
    """Return `; did you mean X?` for the known name that `name` resembles, or nothing."""
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name[:SHOWN].lower(), folded, 1, 0.7)
    return f'; did you mean {folded[close[0]]}?' if close else ''


def shown(text):
    """Return `text` in a form for a sentence: on one line, and not a long one."""
    text = text if len(text) <= SHOWN else f'{text[:SHOWN]}...'
    return text if text.isprintable() else ascii(text)[1:-1]
