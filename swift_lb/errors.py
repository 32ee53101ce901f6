"""Every error swift-lb raises on purpose; the message is one sentence an operator can act on."""


class SwiftLBError(Exception):
    """The root: catch this to catch whatever swift-lb refuses."""


class ConfigError(SwiftLBError, ValueError):
    """A configuration is wrong; the message lists every fault found, one a line."""

    def __init__(self, faults):
        """Collect `faults`, an iterable of sentences."""
        self.faults = tuple(faults)
        super().__init__('\n'.join(self.faults))


class QueryError(SwiftLBError, ValueError):
    """What is asked of the status page can not be answered; the message says why."""


class SeamError(SwiftLBError):
    """This Swift's internals are not the ones proxy/seam.py was written against."""


class SharedMemoryError(SwiftLBError):
    """A file in the memory of several processes can not be had; the message says why."""


class LabError(SwiftLBError):
    """A lab cannot do what was asked of it."""


class StatusError(SwiftLBError):
    """A proxy's status page cannot be had, or is not one this version can read."""


class EvaluationError(SwiftLBError):
    """An evaluation, or one run of it, has no figures; the message says why."""


class ArchiveError(SwiftLBError):
    """The results of a run cannot be kept; the message names what could not be written, and why."""


class SimulationError(SwiftLBError):
    """A comparison of simulations can not go on, or its results not be kept."""


class WireError(SwiftLBError):
    """Something does not fit into the bytes that it is to be sent in."""


class AgentError(SwiftLBError):
    """The node agent can not do what it is asked to, or can not start."""


class NameServerError(SwiftLBError):
    """The DNS service can not do what it is asked to, or can not start."""


class PeerError(SwiftLBError):
    """A peer did not take a request, or did not answer it as it should; the message says how."""


class ClientError(SwiftLBError):
    """A client did not send the whole of its request's body; `status` is what is to be said."""

    def __init__(self, status, said):
        """`status` is a status line, `said` one sentence."""
        self.status = status
        super().__init__(said)
