"""The digest of a host's Swift: clusters with the same one are regions of one Swift.

    HMAC-SHA256 with the clusters' key over swift_hash_path_prefix, swift_hash_path_suffix, and the
    name and SHA-256 of each ring file; 16 hexadecimal digits

Hosts of one Swift have the same ring files, byte for byte: Swift's recon compares them like this.
The key keeps the hash path, a secret of Swift, from those who only see summaries.
"""
import configparser
import hashlib
import hmac
from pathlib import Path

from swift_lb.concurrency import sleep
from swift_lb.regular_file import FileWatch, open_regular

SWIFT_DIR = '/etc/swift'
NEEDED = ('account.ring.gz', 'container.ring.gz', 'object.ring.gz')
HASH_PATH = ('swift_hash_path_prefix', 'swift_hash_path_suffix')
PIECE = 1 << 20         # bytes: 1 to 3 ms of one processor; other greenthreads run between two


class RingDigest:
    """Computes digests of Swifts; a ring file is read only once while it does not change."""

    def __init__(self):
        self._known = {}        # path -> (FileWatch, digest)

    def of(self, directory, key):
        """Return the digest with `key`, bytes, of the files in `directory`, '' without a Swift.

        `directory` is Swift's own if it is None. A ring that has 100 MB takes some tenths of a
        second, with pauses for other greenthreads.
        """
        directory = Path(directory or SWIFT_DIR)
        try:
            parts = [*hash_path(directory / 'swift.conf'),
                     *(f'{path.name} {self._digest(path)}' for path in rings(directory))]
        except (OSError, configparser.Error):
            return ''
        return hmac.digest(key, '\0'.join(parts).encode(), 'sha256').hex()[:16]

    def _digest(self, path):
        """Return the SHA-256 of a file, from memory while the file does not change."""
        watch, digest = self._known.get(path) or (FileWatch(path), '')
        if watch.has_changed() or not digest:
            self._known[path] = watch, ''       # if it cannot be read, it is tried again
            digest = file_digest(path)
            self._known[path] = watch, digest
        return digest


def rings(directory):
    """Return the paths of the rings in `directory`; the first three must exist, each is a Path."""
    return [*(directory / name for name in NEEDED), *sorted(directory.glob('object-*.ring.gz'))]


def hash_path(path):
    """Return (prefix, suffix), which Swift adds to what it hashes, from swift.conf at `path`.

    Raises OSError or configparser.Error if the file cannot be read.
    """
    parser = configparser.RawConfigParser(strict=False)
    with open_regular(path, encoding='latin1') as lines:    # as Swift reads it
        parser.read_file(lines)
    return tuple(parser.get('swift-hash', name, fallback='') for name in HASH_PATH)


def file_digest(path):
    """Return the SHA-256 of the file at `path`, in hex; other greenthreads run meanwhile."""
    digest = hashlib.sha256()
    with open_regular(path, 'rb') as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            sleep(0)
    return digest.hexdigest()
