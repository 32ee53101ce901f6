"""The JSON file of a server's handicap: `lab set` writes it, the filter lb_handicap reads it."""
import json

from swift_lb.errors import ConfigError
from swift_lb.lab import rules
from swift_lb.lab.state import write_json
from swift_lb.regular_file import FileWatch

CHECK_INTERVAL = 0.05  # seconds between two checks of the file


def read(path):
    """Return the handicap document in the file `path`, a Path, as a dict; see rules.py."""
    return json.loads(path.read_text())


def write(path, document):
    """Write `document` to the file `path`; raises ConfigError instead if it is invalid."""
    rules.parse(document, path.stem)
    write_json(path, document)


class WatchedRules:
    """The rules in a file that may change; if it becomes invalid, the last valid rules stay."""

    def __init__(self, path, complain):
        """Watch the file `path`, a Path; call `complain(sentence)` if it is invalid."""
        self.document, self.rules = {}, rules.NodeRules()
        self._path, self._complain = path, complain
        self._watch, self._looked = FileWatch(path), None

    def changed(self, now):
        """Read the file if it has changed; return whether its rules differ from those before.

        `rules` and `document` are then the new ones. The file is checked at most every 50 ms.
        """
        if self._looked is not None and now - self._looked < CHECK_INTERVAL:
            return False
        self._looked = now
        return self._watch.has_changed() and self._load()

    def _load(self):
        try:
            document = read(self._path)
            parsed = rules.parse(document, self._path.stem)
        except (OSError, ValueError) as err:  # ConfigError and JSONDecodeError are ValueErrors
            reason = '; '.join(err.faults) if isinstance(err, ConfigError) else err
            self._complain(f'{self._path}: {reason}; the rules stay as they were')
            return False
        changed = parsed != self.rules
        self.document, self.rules = document, parsed
        return changed
