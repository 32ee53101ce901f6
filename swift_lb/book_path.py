"""The paths of the files in memory that a proxy's workers share, for other processes too."""
import hashlib
import os

DIRECTORY = '/dev/shm'


def path_of(book, conf_file, uid):
    """Return the path of the book for lb_book = `book` in the proxy with this conf file.

    None if the workers share no book. `uid` is that of the user which runs the proxy.
    """
    if book == 'worker' or (book == 'host' and conf_file is None):
        return None
    if book != 'host':
        return book
    name = hashlib.sha256(os.path.realpath(conf_file).encode()).hexdigest()[:16]
    return f'{DIRECTORY}/swift-lb-{uid}-{name}.book'


def of_dispatchers(book):
    """Return the path of the file in which dispatchers share what they know of peers, or None."""
    return None if book is None else book.removesuffix('.book') + '.dispatch'
