"""The authorities that sign servers' certificates, which are always verified with name or address.

The module ssl is the one that eventlet has not replaced: where eventlet comes after ssl, setting an
option of a context calls itself for ever. Only contexts and objects without sockets are used of it.
"""
from swift_lb.concurrency import plain_ssl
from swift_lb.config import InvalidError, absolute_path
from swift_lb.regular_file import FileWatch, open_regular

CHECK_INTERVAL = 5.0    # seconds


def client_context(ca_file):
    """Return an ssl.SSLContext that trusts the authorities in `ca_file`, or for '' the system's.

    Raises InvalidError, a sentence that begins with the verb, for a file that has none.
    """
    try:
        context = plain_ssl.create_default_context(cadata=certificates(ca_file) or None)
    except OSError as err:
        why = err.strerror if err.filename else 'no certificate in it can be read'
        raise InvalidError(f'must be a file of certificates in PEM: {why}') from None
    context.options |= plain_ssl.OP_NO_RENEGOTIATION    # only TLS 1.2 has it, and nothing needs it
    # Python 3.11.2 sets it: then a connection that was cut looks as if the session had ended.
    context.options &= ~getattr(plain_ssl, 'OP_IGNORE_UNEXPECTED_EOF', 0)
    return context


def certificates(path):
    """Return the text of a PEM file, '' for ''; raises OSError, also if no certificate begins."""
    if not path:
        return ''
    with open_regular(path, encoding='ascii', errors='ignore') as file:    # comments may be UTF-8
        text = file.read()
    if '-----BEGIN ' not in text:
        raise OSError('no certificate')
    return text


def authorities(text):
    """Return `text`, '' or the path of a file with certificates; raises InvalidError if it is none.

    It is the parser of an option: a wrong file is reported before the first connection needs it.
    """
    if text:
        client_context(absolute_path(text))
    return text


class Authorities:
    """Makes the SSLContext of a `ca_file`, again when the file changes."""

    def __init__(self, clock):
        """`clock()` returns monotonic seconds."""
        self._clock = clock
        self._path = self._watch = self._context = self._fault = None
        self._look_at = 0.0

    def context(self, path):
        """Return the SSLContext with the authorities in the file at `path`, '' for the system's.

        None if the file cannot be used.
        """
        now = self._clock()
        if path != self._path or now >= self._look_at:
            if path != self._path:
                self._path, self._watch = path, FileWatch(path)
            self._look_at = now + CHECK_INTERVAL
            if self._watch.has_changed() or self._fault:
                self._read(path)
        return self._context

    def fault(self, path):
        """Return a sentence on why the file at `path` cannot be used, None if it can or is ''."""
        if not path:
            return None
        self.context(path)
        return self._fault

    def _read(self, path):
        try:
            self._context, self._fault = client_context(path), None
        except InvalidError as err:
            self._context, self._fault = None, (
                f'ca_file = {path}: {err}; no other cluster is asked by TLS')
