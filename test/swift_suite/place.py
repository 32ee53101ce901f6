"""Check that Swift's tests can run here: their imports are installed, and xattrs large enough."""

import os
import re
import tempfile
from importlib import metadata
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name('test-swift-requirements.txt')
XATTR_BYTES = 4096 + 1  # as Swift's skip_if_no_xattrs() needs; ext4 allows 4 KiB


class CannotRunError(Exception):
    """The comparison cannot start; the message says what is missing and how to get it."""


def check_installed(egg):
    """Raise CannotRunError if a required distribution, or the application `egg`, is missing."""
    missing = [name for name in ('swift', *_required()) if not _installed(name)]
    if missing:
        raise CannotRunError(
            f"not installed: {', '.join(missing)}; Swift's tests need what "
            f'{os.path.relpath(REQUIREMENTS)} lists: pip install -r it'
        )
    factory(egg)


def factory(egg):
    """Return the paste.app_factory entry point of 'egg:DIST#NAME'; CannotRunError if none."""
    distribution, _, name = egg.removeprefix('egg:').partition('#')
    try:
        points = metadata.distribution(distribution).entry_points
    except metadata.PackageNotFoundError:
        raise CannotRunError(f'{distribution} is not installed, so there is no {egg}') from None
    matches = list(points.select(group='paste.app_factory', name=name))
    if not matches:
        raise CannotRunError(f'{distribution} is installed, but has no paste.app_factory {name!r}')
    return matches[0]


def _required():
    lines = REQUIREMENTS.read_text().splitlines()
    return [re.split(r'[<>=!~;# ]', line, maxsplit=1)[0] for line in lines if line[:1].isalpha()]


def _installed(name):
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def scratch_root():
    """Return a directory on a filesystem that has room for Swift's xattrs.

    On any other one, all of Swift's tests are skipped, which looks like success. Raises
    CannotRunError if there is none.
    """
    tried = [tempfile.gettempdir(), '/dev/shm']
    for place in tried:
        if _takes_large_xattrs(place):
            return place
    raise CannotRunError(
        f'none of {", ".join(tried)} takes an xattr of {XATTR_BYTES} bytes, so Swift would skip '
        f'all of its tests; set TMPDIR to a directory on XFS or tmpfs'
    )


def _takes_large_xattrs(place):
    try:
        with tempfile.NamedTemporaryFile(dir=place) as probe:
            os.setxattr(probe.name, 'user.swift.testing_key', b'x' * XATTR_BYTES)
    except OSError:
        return False
    return True
