"""How long a request waits for another cluster, so that a cut link delays no read for long.

    head    until the patience of the read (dispatch/clusters.py) or SILENCE_TIMEOUT seconds have
            passed without a byte, or until waiting is hopeless, whichever is first. The first piece
            of the body of a success belongs to it (relay.py). Hopeless: the cluster is dead, or its
            proxy has not answered another request meanwhile. Then this cluster serves the read, so
            all reads are served here 10 s after a link was cut
    body    until SILENCE_TIMEOUT seconds have passed without a byte: the client has a part of the
            body, and can get the rest from nowhere else
"""
from swift_lb.proxy.dispatch.connection import SilentError

SILENCE_TIMEOUT = 10.0      # seconds without a byte of the other cluster


class HeadWait:
    """Ends the wait of one request; `began` is whether its answer has begun."""

    def __init__(self, is_hopeless, patience):
        """Take `is_hopeless()`, which returns whether no answer is to be expected any more.

        `patience` are the seconds for which the head is waited for; SILENCE_TIMEOUT at most count.
        """
        self.began, self._is_hopeless, self._patience = False, is_hopeless, patience

    def __call__(self, waited):
        """Raise SilentError if `waited` seconds without a byte are too many; called each second."""
        if waited >= SILENCE_TIMEOUT or (not self.began and waited >= self._patience):
            raise SilentError(f'no byte has come for {waited:.0f} s')
        if not self.began and self._is_hopeless():
            raise SilentError(f'no byte has come for {waited:.0f} s, and other requests or '
                              'summaries are not answered either')
