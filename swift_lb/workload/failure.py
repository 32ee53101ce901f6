"""Reasons of failed operations, in few words: the rows of the table of reasons."""
import asyncio
import errno
import os
import socket
import ssl

import httptools


class OperationError(Exception):
    """An operation failed; the message is the reason, the same text for the same cause."""


class BrokenError(OperationError):
    """A connection broke; `stale`: a kept one, before any byte of a response."""

    def __init__(self, reason, stale=False):
        super().__init__(reason)
        self.stale = stale


def reason_of(err):
    """Return the reason of an exception, without details that differ between requests."""
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
