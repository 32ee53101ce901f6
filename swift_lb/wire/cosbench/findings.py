"""Faults and warnings about a workload file, collected while it is read, reported together."""
import difflib

MAX_FINDINGS = 100       # faults and warnings of a file that are reported
QUOTED_CHARACTERS = 60       # characters of a value that a message quotes


class Findings:
    """Faults, which prevent a workload from running, and warnings, which do not.

    A doubt is a wrong value that COSBench checks only when an operation uses it: it is reported as
    a fault if any operation uses the value, else as a warning.
    """

    def __init__(self, folder_fault=lambda _folder: None):
        """Start empty; `folder_fault(path)` returns why a folder has no usable files, or None."""
        self.folder_fault = folder_fault
        self._faults, self._warnings, self._doubts, self._used = [], [], [], set()

    def fault(self, line, sentence):
        """Add a fault in a line of the file: a sentence about what has to be corrected."""
        self._faults.append((line, sentence))

    def warn(self, line, sentence):
        """Add a warning: a sentence about a part of the file whose effect may be unintended."""
        self._warnings.append((line, sentence))

    def doubt(self, line, sentence, entry):
        """Add a sentence about `entry`, a key with a wrong value, as (key, value).

        It is a fault if an operation uses that entry, else a warning.
        """
        self._doubts.append((line, sentence, entry))

    def use(self, entries):
        """Note that an operation uses these (key, value) pairs: wrong values in them are faults."""
        self._used.update(entries)

    def unknown(self, line, what, name, known):
        """Warn of an unknown `name`, and suggest the most similar of the `known` names.

        `what` says what has the name, like `<work>: the attribute`.
        """
        if len(self._warnings) < MAX_FINDINGS:  # the search for a similar name is slow
            self.warn(line, f'{what} {shown(name)} is unknown and ignored{likely(name, known)}')
        else:
            self.warn(line, '')

    @property
    def faults(self):
        """Return the faults, those of used wrong values included, as sentences sorted by line."""
        used = ((line, sentence) for line, sentence, entry in self._doubts if entry in self._used)
        return sentences([*self._faults, *used], 'faults')

    @property
    def warnings(self):
        """Return the warnings, those on unused wrong values included, sorted by line."""
        unused = ((line, f'{sentence}; ignored, as it is not used')
                  for line, sentence, entry in self._doubts if entry not in self._used)
        return sentences([*self._warnings, *unused], 'warnings')


def sentences(pairs, kind):
    """Return (line, sentence) pairs as texts `line N: ...`, sorted by line, each text once.

    If there are more than MAX_FINDINGS, the last text counts the rest: `and 7 more faults` if
    `kind` is "faults".
    """
    ordered = sorted(dict.fromkeys(pairs[:MAX_FINDINGS]), key=lambda pair: pair[0])
    if len(pairs) > MAX_FINDINGS:
        ordered.append((pairs[MAX_FINDINGS][0], f'and {len(pairs) - MAX_FINDINGS} more {kind}'))
    return tuple(f'line {line}: {sentence}' for line, sentence in ordered)


def likely(name, known):
    """Return `; did you mean X?` for the X in `known` most similar to `name`, '' if none is."""
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name[:QUOTED_CHARACTERS].lower(), folded, 1, 0.7)
    return f'; did you mean {folded[close[0]]}?' if close else ''


def shown(text, most=QUOTED_CHARACTERS):
    """Return `text` for a message, cut to `most` characters and `...`, escaped if unprintable."""
    text = text if len(text) <= most else f'{text[:most]}...'
    return text if text.isprintable() else ascii(text)[1:-1]
