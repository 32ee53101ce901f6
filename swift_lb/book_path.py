"""Where the book of a proxy's workers lies, so that others than they can find it, too."""
import hashlib
import os

DIRECTORY = '/dev/shm'


def path_of(book, conf_file, uid):
    """Return the file that lb_book = `book` means in the proxy with this conf; None for none.

    `uid` is that of the user as whom the proxy runs.
    """
    if book == 'worker' or (book == 'host' and conf_file is None):
        return None
    if book != 'host':
        return book
    name = hashlib.sha256(os.path.realpath(conf_file).encode()).hexdigest()[:16]
    return f'{DIRECTORY}/swift-lb-{uid}-{name}.book'


def of_dispatchers(book):
    """Return the file of what dispatchers know of peers, where path_of() says `book`."""
    return None if book is None else book.removesuffix('.book') + '.dispatch'
