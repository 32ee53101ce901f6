"""Reasons of failed operations, in few words, by which failures are counted and listed."""
import asyncio
import errno
import os
import socket
import ssl

import httptools


class OperationError(Exception):
    """An operation failed; the message is the reason, which is the same text for the same cause."""


class BrokenError(OperationError):
    """A connection broke during a request.

    `stale` is true if it had been kept open after an earlier request, and no byte of a response to
    this one had come: the request may be sent again on a new connection.
    """

    def __init__(self, reason, stale=False):
        super().__init__(reason)
        self.stale = stale


def reason_of(err):
    """Return the reason of an exception as text, without details that differ between requests."""
    if isinstance(err, OperationError):
        return str(err)
    if isinstance(err, TimeoutError | asyncio.TimeoutError):
        return 'timeout'
    if isinstance(err, ssl.SSLCertVerificationError):
        return f'TLS: {err.verify_message}'
    if isinstance(err, ssl.SSLError):
        return f'TLS: {err.reason or err}'
    if isinstance(err, socket.gaierror):
        return 'unknown host'
    if isinstance(err, httptools.HttpParserError | httptools.HttpParserUpgrade):
        return 'not an HTTP answer'
    if isinstance(err, OSError) and err.errno:
        return os.strerror(err.errno).lower() if err.errno in errno.errorcode else str(err)
    return type(err).__name__
