"""The paths of the files in /dev/shm that a proxy's workers share; other processes need them too.

A book is such a file, in which the workers count the reads of each device.
"""
import hashlib
import os

DIRECTORY = '/dev/shm'


def path_of(book, conf_file, uid):
    """Return the path of the book that a proxy's workers share, None if they share none.

    `book` is the option lb_book: host (one book for each `conf_file`, the path of the proxy's conf
    or None), worker (none) or a path; `uid` is the id of the proxy's user.
    """
    if book == 'worker' or (book == 'host' and conf_file is None):
        return None
    if book != 'host':
        return book
    name = hashlib.sha256(os.path.realpath(conf_file).encode()).hexdigest()[:16]
    return f'{DIRECTORY}/swift-lb-{uid}-{name}.book'


def of_dispatchers(book):
    """Return the path of the file in which dispatchers count their requests to each peer, or None.

    `book` is the path of a proxy's book, in the same directory; None if its workers share none.
    """
    return None if book is None else book.removesuffix('.book') + '.dispatch'
