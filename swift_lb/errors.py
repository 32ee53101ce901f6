"""The errors that swift-lb raises on purpose, each with a sentence on which an operator can act."""

# HTTP status of a ChainError about a task that is wrong, and about one that is over a limit
BAD_REQUEST, TOO_LARGE = '400 Bad Request', '413 Content Too Large'


class SwiftLBError(Exception):
    """The base class of all errors that swift-lb raises on purpose."""

    @property
    def on_one_line(self):
        """The message without line breaks, for logs and tables."""
        return '; '.join(str(self).split('\n'))


class ConfigError(SwiftLBError, ValueError):
    """A configuration has faults; the message lists all of them, one on each line."""

    def __init__(self, faults):
        """Keep `faults`, an iterable of sentences; the message has each on a line of its own."""
        self.faults = tuple(faults)
        super().__init__('\n'.join(self.faults))


class QueryError(SwiftLBError, ValueError):
    """A query of the status page cannot be answered; the message has the reason."""


class SeamError(SwiftLBError):
    """The internals of this Swift are not those for which proxy/seam.py was written."""


class SharedMemoryError(SwiftLBError):
    """A file of memory that processes share cannot be used; the message has the reason."""


class LabError(SwiftLBError):
    """A lab cannot be started or changed as requested."""


class StatusError(SwiftLBError):
    """A proxy's status page cannot be fetched, or this version of swift-lb cannot read it."""


class EvaluationError(SwiftLBError):
    """An evaluation, or one run of it, has no figures; the message has the reason."""


class ArchiveError(SwiftLBError):
    """The results of a run cannot be kept; the message has the file and the reason."""


class SimulationError(SwiftLBError):
    """A comparison of simulations cannot continue, or its results cannot be kept."""


class WireError(SwiftLBError):
    """A value cannot be encoded in the wire format of its message or header."""


class AgentError(SwiftLBError):
    """The node agent cannot start, or cannot carry out a command."""


class NameServerError(SwiftLBError):
    """The DNS service cannot start, or cannot carry out a command."""


class PeerError(SwiftLBError):
    """A peer proxy did not accept a request, or answered it wrongly; the message says how."""


class ClientError(SwiftLBError):
    """A client did not send the whole body of its request; `status` is the HTTP status for it."""

    def __init__(self, status, message):
        """Take the HTTP status line `status` for the client, and a sentence for the log."""
        self.status = status
        super().__init__(message)


class ChainError(SwiftLBError):
    """An object or a task that a chain refuses; `status` is the HTTP status line for it."""

    def __init__(self, message, status='422 Unprocessable Entity'):
        """Take a sentence for the client, and the HTTP status line."""
        self.status = status
        super().__init__(message)


class ImageServiceError(SwiftLBError):
    """swift-lb-image cannot start; the message has the reason."""


class ImageError(SwiftLBError):
    """`swift-lb image` cannot read or write a file or an object; the message has the reason."""
