"""Swift's own tests, of the same version as the installed Swift.

Swift's wheel has no tests, but its source distribution has. Only `test/` and `etc/` are unpacked,
so that the tests import, and test, the installed Swift. Run as a program, this only downloads them.
"""

import subprocess
import sys
import tarfile
import tempfile
from importlib import metadata
from pathlib import Path

from swift_suite.place import CannotRunError

WANTED = ('test', 'etc')
DOWNLOAD_SECONDS = 900  # pip builds metadata, which takes long on a busy machine
# Debian 12's Python 3.11.2 has no filters yet; pip has verified the archive.
SAFELY = {'filter': 'data'} if hasattr(tarfile, 'data_filter') else {}


def cache():
    """Return the directory, in the virtual environment, of Swift's tests and of their logs."""
    return Path(sys.prefix) / 'swift-source'


def checkout(path):
    """Return the resolved path of a checkout of Swift; raises CannotRunError if it is not one."""
    make_cache()
    if not (path / 'test/functional/tests.py').is_file():
        raise CannotRunError(f'{path} is not a checkout of Swift')
    return path.resolve()


def fetch():
    """Return the directory of the source of the installed Swift, downloaded the first time."""
    version = metadata.version('swift')
    make_cache()
    tree = cache() / f'swift-{version}'
    if not tree.is_dir():
        with tempfile.TemporaryDirectory(dir=cache()) as scratch:
            _unpack(_download(version, Path(scratch)), Path(scratch) / 'tree').rename(tree)
    return tree


def make_cache():
    """Make the directory cache(), if it does not exist."""
    try:
        cache().mkdir(exist_ok=True)
    except OSError as reason:
        raise CannotRunError(f'{reason}; use a virtual environment') from None


def _download(version, where):
    """Have pip download Swift's sdist to the directory `where`; return the path of the archive.

    To learn an sdist's metadata pip has to prepare a build. `--use-pep517` makes it do so in
    isolation, with pbr and setuptools fetched for the purpose, also for the older Swifts that
    have no pyproject.toml; `--no-binary swift`, not `:all:`, lets those two come as wheels.
    """
    pip = [sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check']
    what = ['--use-pep517', '--no-deps', '--no-binary', 'swift', f'swift=={version}']
    try:
        done = subprocess.run(
            [*pip, *what, '--dest', where],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        raise CannotRunError(
            f'pip had not downloaded the source of swift {version} after {late.timeout} s; name a '
            f'checkout of it with --source'
        ) from None
    archives = list(where.glob('*.tar.gz'))
    if done.returncode or not archives:
        raise CannotRunError(
            f'pip could not download the source of swift {version}; name a checkout of it with '
            f'--source. The output of pip:\n{done.stderr.strip()}'
        )
    return archives[0]


def _unpack(sdist, where):
    """Extract the directories WANTED of an sdist to `where`; return the directory they are in."""
    with tarfile.open(sdist) as tar:
        members = [m for m in tar if m.name.split('/')[1:2] and m.name.split('/')[1] in WANTED]
        tar.extractall(where, members=members, **SAFELY)
    (top,) = where.iterdir()
    return top


if __name__ == '__main__':
    fetch()
