"""Swift's own tests, of the same version as the Swift that is installed.

Swift's wheel has no tests; its source distribution has. Only `test/` and `etc/` are unpacked, so
what the tests import, and what they prove something about, is the installed Swift.
"""

import subprocess
import sys
import tarfile
import tempfile
from importlib import metadata
from pathlib import Path

from swift_suite.place import CannotRunError

WANTED = ('test', 'etc')
DOWNLOAD_SECONDS = 300
# Debian 12's Python 3.11.2 has no filters yet; what it unpacks is what pip has found to be Swift's.
SAFELY = {'filter': 'data'} if hasattr(tarfile, 'data_filter') else {}


def cache():
    """Return the directory in the running virtual environment that is ours to keep things in."""
    return Path(sys.prefix) / 'swift-source'


def checkout(path):
    """Return the path of a checkout of Swift, which tests are then taken from."""
    make_cache()
    if not (path / 'test/functional/tests.py').is_file():
        raise CannotRunError(f'{path} is not a checkout of Swift')
    return path.resolve()


def fetch():
    """Return the tree with the tests of the installed Swift; download it the first time."""
    version = metadata.version('swift')
    make_cache()
    tree = cache() / f'swift-{version}'
    if not tree.is_dir():
        with tempfile.TemporaryDirectory(dir=cache()) as scratch:
            _unpack(_download(version, Path(scratch)), Path(scratch) / 'tree').rename(tree)
    return tree


def make_cache():
    """Make the directory, if need be."""
    try:
        cache().mkdir(exist_ok=True)
    except OSError as reason:
        raise CannotRunError(f'{reason}; run me in a virtual environment') from None


def _download(version, where):
    """Have pip fetch the sdist.

    To learn an sdist's metadata pip has to prepare a build. `--use-pep517` makes it do so in
    isolation, with pbr and setuptools fetched for the purpose, also for the older Swifts that
    have no pyproject.toml; `--no-binary swift`, not `:all:`, lets those two come as wheels.
    """
    pip = [sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check']
    what = ['--use-pep517', '--no-deps', '--no-binary', 'swift', f'swift=={version}']
    done = subprocess.run(
        [*pip, *what, '--dest', where],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DOWNLOAD_SECONDS,
    )
    found = list(where.glob('*.tar.gz'))
    if done.returncode or not found:
        raise CannotRunError(
            f'pip could not download the source of swift {version}; name a checkout of it with '
            f'--source. pip said:\n{done.stderr.strip()}'
        )
    return found[0]


def _unpack(sdist, where):
    """Extract the wanted directories of the sdist and return the directory that holds them."""
    with tarfile.open(sdist) as tar:
        members = [m for m in tar if m.name.split('/')[1:2] and m.name.split('/')[1] in WANTED]
        tar.extractall(where, members=members, **SAFELY)
    (top,) = where.iterdir()
    return top
