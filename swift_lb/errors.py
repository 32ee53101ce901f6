"""Every error that swift-lb raises on purpose; its message is a sentence an operator can act on."""


class SwiftLBError(Exception):
    """The base class of all errors that swift-lb raises on purpose."""


class ConfigError(SwiftLBError, ValueError):
    """A configuration is wrong; the message lists all its faults, one a line."""

    def __init__(self, faults):
        """Keep `faults`, an iterable of sentences."""
        self.faults = tuple(faults)
        super().__init__('\n'.join(self.faults))


class QueryError(SwiftLBError, ValueError):
    """A query of the status page can not be answered; the message has the reason."""


class SeamError(SwiftLBError):
    """The internals of this Swift are not those for which proxy/seam.py was written."""


class SharedMemoryError(SwiftLBError):
    """A file in the memory of several processes can not be used; the message has the reason."""


class LabError(SwiftLBError):
    """A lab can not be started or changed as requested."""


class StatusError(SwiftLBError):
    """A proxy's status page can not be fetched, or this version can not read it."""


class EvaluationError(SwiftLBError):
    """An evaluation, or one run of it, has no figures; the message has the reason."""


class ArchiveError(SwiftLBError):
    """The results of a run can not be kept; the message has the file and the reason."""


class SimulationError(SwiftLBError):
    """A comparison of simulations can not continue, or its results can not be kept."""


class WireError(SwiftLBError):
    """A value does not fit into the bytes of its wire format."""


class AgentError(SwiftLBError):
    """The node agent can not start, or can not carry out a command."""


class NameServerError(SwiftLBError):
    """The DNS service can not start, or can not carry out a command."""


class PeerError(SwiftLBError):
    """A peer proxy did not accept a request, or answered it wrongly; the message says how."""


class ClientError(SwiftLBError):
    """A client did not send the whole body of its request; `status` is the answer's."""

    def __init__(self, status, message):
        """Take the status line for the client and one sentence for the log."""
        self.status = status
        super().__init__(message)
