"""What is wrong or odd in a workload file, gathered while it is read, to be told all at once."""
import difflib

MOST = 100       # of each; a file with more is not a workload with slips in it
SHOWN = 60       # characters of a value that a sentence repeats


def any_folder(_folder):
    """Return that every folder can be used, as None."""


class Findings:
    """Faults, which stop a workload from being run, and warnings, which do not.

    A doubt is about a value that COSBench looks at only where it uses it: the doubt is a fault if
    the value is used anywhere, else a warning.
    """

    def __init__(self, folder_fault=any_folder):
        """Begin with none. `folder_fault(path)` returns why a folder has no files, or None."""
        self.folder_fault = folder_fault
        self._faults, self._warnings, self._doubts, self._used = [], [], [], set()

    def fault(self, line, sentence):
        """Keep what has to be put right."""
        self._faults.append((line, sentence))

    def warn(self, line, sentence):
        """Keep what may not do what its author thinks."""
        self._warnings.append((line, sentence))

    def doubt(self, line, sentence, entry):
        """Keep what is wrong with `entry`, a (key, value), in case it is used."""
        self._doubts.append((line, sentence, entry))

    def use(self, entries):
        """Note that the values of `entries`, (key, value) pairs, are used."""
        self._used.update(entries)

    def unknown(self, line, what, name, known):
        """Warn that `name` is ignored; `known` are the names that would not be."""
        if len(self._warnings) < MOST:  # looking for the likely name is not cheap
            self.warn(line, f'{what} {shown(name)} is unknown and ignored{likely(name, known)}')
        else:
            self.warn(line, '')

    @property
    def faults(self):
        """Return the faults as sentences, by line."""
        return told([*self._faults, *((line, sentence) for line, sentence, entry in self._doubts
                                      if entry in self._used)], 'faults')

    @property
    def warnings(self):
        """Return the warnings as sentences, by line."""
        return told([*self._warnings, *((line, f'{sentence}; ignored, as it is not used')
                                        for line, sentence, entry in self._doubts
                                        if entry not in self._used)], 'warnings')


def told(pairs, kind):
    """Return the (line, sentence) pairs as `line N: sentence`, by line, each once; MOST at most."""
    ordered = sorted(dict.fromkeys(pairs[:MOST]), key=lambda pair: pair[0])
    more = [(pairs[MOST][0], f'and {len(pairs) - MOST} more {kind}')] if len(pairs) > MOST else []
    return tuple(f'line {line}: {sentence}' for line, sentence in ordered + more)


def likely(name, known):
    """Return `; did you mean X?` for the known name that `name` resembles, or nothing."""
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name[:SHOWN].lower(), folded, 1, 0.7)
    return f'; did you mean {folded[close[0]]}?' if close else ''


def shown(text, most=SHOWN):
    """Return `text` in a form for a sentence: on one line, and of at most so many characters."""
    text = text if len(text) <= most else f'{text[:most]}...'
    return text if text.isprintable() else ascii(text)[1:-1]
