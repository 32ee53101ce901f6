"""The archive of all runs: a folder for each run, in COSBench's layout, and two lists of all runs.

A run's folder is written under a temporary name and renamed when it is complete; the lists are
appended to last. Several processes may share an archive: shared files are changed under a lock.
"""
import errno
import fcntl
import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

from swift_lb.errors import ArchiveError
from swift_lb.wire.cosbench.cells import name
from swift_lb.wire.cosbench.write import normalised
from swift_lb.workload import cosbench_files as files
from swift_lb.workload.result_json import result_json

META, LOCK, PROBE, PART = '.meta', '.lock', '.probe', '.part'
HISTORY, WORKLOADS = 'run-history.csv', 'workloads.csv'
ERRORS = 'backslashreplace'   # a character that cannot be encoded must not lose a run's results


class Archive:
    """The results of all runs, in one directory, which is created when it is needed."""

    def __init__(self, directory):
        self._directory = Path(directory)

    def check(self):
        """Create the directory and make sure that a run can be stored in it.

        Raises ArchiveError. To be called before a run, so that no result is lost.
        """
        with self._locked():
            probe = self._directory / PROBE
            probe.mkdir(exist_ok=True)
            probe.rmdir()
            for shared in (HISTORY, WORKLOADS):
                self._append(shared, '', '')

    def next_id(self):
        """Return the id of a new run, w1, w2, ..., which no other run of this archive gets.

        Ids continue after the greater of two numbers: that of the last id, which COSBench keeps in
        the file `.meta`, and that of the highest folder present.
        """
        with self._locked():
            meta = self._directory / META
            noted = meta.read_text(errors='replace') if meta.exists() else ''
            ids = [re.fullmatch(r'\s*(\d{1,9})\s*', noted), *(
                re.match(r'\.?w(\d{1,9})-', path.name) for path in self._directory.iterdir())]
            number = max((int(match[1]) for match in ids if match), default=0) + 1
            meta.write_text(str(number))
        return f'w{number}'

    def write(self, run):
        """Write a RunResult that has an id; return the Path of its folder.

        Raises ArchiveError, which names what could not be written; the folder is then absent, never
        incomplete.
        """
        folder = self._directory / files.folder_name(run)
        part = folder.with_name(f'.{folder.name}{PART}')
        with _as_archive_error(folder):
            part.mkdir(parents=True)
            try:
                for title, text in _contents(run, folder.name):
                    (part / title).write_text(text, encoding='utf-8', errors=ERRORS)
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        with self._locked():
            self._append(WORKLOADS, files.WORKLOADS, files.workloads(run))
            self._append(HISTORY, files.HISTORY, files.history(run))
        return folder

    def _append(self, shared, header, lines):
        """Append `lines` to the file `shared`, a list of all runs: either all of them or none.

        An empty or new file gets the `header` first. Raises ArchiveError.
        """
        path = self._directory / shared
        with _as_archive_error(path), path.open('ab', buffering=0) as file:
            length = file.tell()
            text = (lines if length else header + lines).encode(errors=ERRORS)
            if file.write(text) < len(text):  # the disk is full
                file.truncate(length)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def _locked(self):
        with _as_archive_error(self._directory):
            self._directory.mkdir(parents=True, exist_ok=True)
            with (self._directory / LOCK).open('a') as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield


def _contents(run, title):
    """Yield (name, text) of each file of a run; `title`, the folder's name, begins two names."""
    yield f'{title}.csv', files.overall(run)
    yield f'{title}-rt-histogram.csv', files.histogram(run)
    for stage in run.stages:
        yield f'{name(stage.stage.id)}.csv', files.timeline(stage)
    yield 'workload-config.xml', normalised(run.workload)
    yield 'workload.log', files.log(run)
    yield 'scripts.log', ''
    yield 'result.json', result_json(run)


@contextmanager
def _as_archive_error(path):
    """Turn an OSError in the context into an ArchiveError: a sentence with `path` and reason."""
    try:
        yield
    except OSError as error:
        place = error.filename2 or error.filename or path
        raise ArchiveError(f'the archive cannot be written: {place}: {error.strerror}') from error
