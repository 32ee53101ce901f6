"""The results that a host keeps, in plain files: DIR/ab/abcdef..., whose names are the keys.

    file = head, the result
    head = MAGIC, seconds that a hit saves, CRC-32 of what stays as it is, bytes of the result,
           first half of the key of the request that has asked for it (0 without one), H

A file is written under another name and then renamed. A hit writes its new H (greedy_dual.py) into
the file, so that a restart keeps the order. A file that is truncated or altered is a miss, and is
removed; fsync is not needed for that. Whatever fails is counted: nothing is kept, nothing raises.
"""
import errno
import os
import struct
import zlib
from collections import Counter
from contextlib import suppress
from math import inf

from swift_lb.chains.cache.digest import Digest
from swift_lb.chains.cache.greedy_dual import GreedyDual
from swift_lb.regular_file import open_regular
from swift_lb.service.image.place import owner_of
from swift_lb.wire.image_job import is_key
from swift_lb.wire.kept_news import KEY as REQUEST

MAGIC = b'slr1'
HEAD, PRIORITY = struct.Struct('>4sdIQ16sd'), struct.Struct('>d')
PRIORITY_AT = HEAD.size - PRIORITY.size     # bytes from the beginning of the file
BLOCK = 4096            # bytes: the usual unit of a file system, which a budget of files must count
DIGEST = 10_000         # keys that other clusters are told: 12 kB
LARGEST = 1 << 25       # bytes of a result: all questions to the daemon wait while it is written
UNFINISHED = '.new'     # end of the names of files that are being written
COUNTS = ('hits', 'misses', 'kept', 'cheap', 'evicted', 'failed', 'corrupt')


class Store:
    """Results by their keys, of which those that save most seconds a byte stay within a budget."""

    def __init__(self, folder, budget, least, warn, requests=None):
        """Take the folder, which is made if it is missing, and what is in it from before.

        `budget` are the bytes of all files, in whole blocks of the disk. What saves less than
        `least` seconds is not kept. `warn(sentence)` logs, once until it works again, that a file
        could not be written. `requests` are KeptRequests, which follow all results, or None.
        """
        self._folder, self._least, self._warn = folder, least, warn
        self._requests, self._digest, self._digest_at = requests, None, 0
        self._order, self._lengths = GreedyDual(budget), {}     # key -> bytes of the result
        self._counts, self._saved, self._fails = Counter(), 0.0, False
        self._try_folder()
        entries = list(self._found())
        for key in self._order.restore(entries):
            self._evict(key)

    # What is in the folder at the start.

    def _try_folder(self):
        """Log it if files can not be written to the folder, which is made if it is missing."""
        try:
            with suppress(FileExistsError):
                os.makedirs(self._folder, 0o700)
            os.listdir(self._folder)
            if not os.access(self._folder, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as err:
            self._tell_failure(err)

    def _found(self):
        """Yield (key, bytes of the file, seconds, H) of each file; remove what is none of ours."""
        with suppress(OSError):
            for part in sorted(os.listdir(self._folder)):
                if len(part) == 2:
                    yield from self._found_in(part)

    def _found_in(self, part):
        with suppress(OSError):
            for name in sorted(os.listdir(os.path.join(self._folder, part))):
                key = name.removesuffix(UNFINISHED)
                if not is_key(key) or key[:2] != part:
                    continue        # a file of another program
                head = self._head_of(key) if key == name else None
                if head is None:
                    self._unlink(name)
                    continue
                _magic, seconds, _crc, length, request, priority = head
                self._lengths[key] = length
                self._tell(key, request)
                yield key, size_of(length), seconds, priority

    def _head_of(self, key):
        """Return the fields of the head of a file, None if it is not one of a whole file."""
        with suppress(OSError, struct.error), open_regular(self._path(key), 'rb') as file:
            head = HEAD.unpack(file.read(HEAD.size))
            size = os.fstat(file.fileno()).st_size
            if head[0] == MAGIC and size == HEAD.size + head[3] and all(
                    0 <= number < inf for number in (head[1], head[-1])):
                return head
        return None

    # Its use.

    def keep(self, key, data, seconds, request=None):
        """Keep the bytes `data` under a key; a hit saves `seconds`. Return whether it is kept.

        `request` is the key of the request that has asked for it, if there is one.
        """
        if not is_key(key) or type(seconds) not in (int, float) or not (
                self._least <= seconds < inf) or len(data) > LARGEST:
            self._counts['cheap'] += 1
            return False
        size = size_of(len(data))
        for evicted in self._order.put(key, size, seconds):
            self._evict(evicted)
        if key not in self._order:      # it is larger than the budget
            self._forget(key)
            self._counts['cheap'] += 1
            return False
        self._lengths[key] = len(data)
        request = bytes.fromhex(request[:REQUEST]) if is_key(request) else bytes(REQUEST // 2)
        return self._written(key, data, seconds, request)

    def _written(self, key, data, seconds, request):
        path, priority = self._path(key), self._order[key].priority
        try:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)     # objects may be private
            with open(path + UNFINISHED, 'wb', buffering=0) as file:
                head = HEAD.pack(MAGIC, seconds, check(seconds, request, data), len(data),
                                 request, priority)
                for part in (head, data):
                    if file.write(part) != len(part):
                        raise OSError('the disk is full')
            os.rename(path + UNFINISHED, path)
        except OSError as err:
            self._failed(key, err)
            return False
        self._counts['kept'] += 1
        self._fails = False
        self._tell(key, request)
        return True

    def _tell(self, key, request):
        if self._requests is not None and any(request):
            self._requests.kept(key, request.hex())

    def _failed(self, key, err):
        self._counts['failed'] += 1
        self._tell_failure(err)
        self._unlink(key + UNFINISHED)
        self._forget(key)

    def _tell_failure(self, err):
        if not self._fails:
            self._warn(f'{self._folder}: results are not kept: {err.strerror or err}')
        self._fails = True

    def get(self, key):
        """Return the bytes that are kept under a key, or None."""
        data = self._read(key) if is_key(key) and key in self._order else None
        self._counts['misses' if data is None else 'hits'] += 1
        return data

    def _read(self, key):
        try:
            with open_regular(self._path(key), 'r+b', buffering=0) as file:
                magic, seconds, crc, length, request, _priority = HEAD.unpack(file.read(HEAD.size))
                data = file.read(self._lengths[key] + 1)
                if magic == MAGIC and len(data) == length and check(
                        seconds, request, data) == crc:
                    self._saved += seconds
                    self._note_hit(key, file)
                    return data
        except (OSError, struct.error):
            pass
        self._counts['corrupt'] += 1
        self._forget(key)
        return None

    def _note_hit(self, key, file):
        priority = self._order.hit(key)
        with suppress(OSError):         # the file's order after a restart is then an older one
            os.pwrite(file.fileno(), PRIORITY.pack(priority), PRIORITY_AT)

    def have(self, keys):
        """Return {key: bytes of the result} of those of the list `keys` that are kept."""
        return {key: self._lengths[key] for key in keys if is_key(key) and key in self._lengths}

    def digest(self):
        """Return the Digest of the keys that would be evicted last, DIGEST at most, as bytes.

        It is made again after a hundredth of the results has changed: that takes 16 ms for 10,000,
        22 ms for 30,000.
        """
        changes = self._counts['kept'] + self._counts['evicted']
        if self._digest is None or changes - self._digest_at > len(self._order) // 100:
            self._digest, self._digest_at = Digest.of(self.hottest(DIGEST)).dumps(), changes
        return self._digest

    def hottest(self, most):
        """Return the keys that would be evicted last, `most` of them at most."""
        return self._order.hottest(most)

    def document(self):
        """Return a dict for pages and metrics: the budget, what is kept, and counts since start.

        `saved` are the seconds that hits have saved.
        """
        return {'budget': self._order.budget, 'bytes': self._order.bytes,
                'entries': len(self._order), 'saved': self._saved,
                **{name: self._counts[name] for name in COUNTS}}

    def _evict(self, key):
        self._counts['evicted'] += 1
        self._forget(key)

    def _forget(self, key):
        self._order.remove(key)
        self._lengths.pop(key, None)
        if self._requests is not None:
            self._requests.gone(key)
        self._unlink(key)

    def _unlink(self, name):
        with suppress(OSError):
            os.unlink(self._path(name))

    def _path(self, name):
        return os.path.join(self._folder, name[:2], name)


def size_of(length):
    """Return the bytes that the file of a result of `length` bytes takes on the disk."""
    return -(-(HEAD.size + length) // BLOCK) * BLOCK


def check(seconds, request, data):
    """Return the checksum of what a file has of a result, but H."""
    return zlib.crc32(data, zlib.crc32(PRIORITY.pack(seconds) + request))


def make_folder(path, user):
    """Make the folder of a Store, which only `user` can read, if this process is root, else this.

    A failure is not raised: the Store logs it when it cannot keep a result.
    """
    with suppress(OSError):
        os.makedirs(path, 0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(path, *owner_of(user))
