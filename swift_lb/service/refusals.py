"""Why reports are refused: a peer with another key, for example, would just look dead. Pure."""
from swift_lb.config import endpoint

WORDS = {       # reason of the count of refused datagrams: what is wrong with the sender
    'forged': 'it signs with another key', 'garbled': 'its version is another one',
    'namesake': 'it has the name of this node', 'skewed': 'its clock, or ours, is wrong by more '
                                                          'than a minute'}
MANY = 512      # senders that are remembered; a flood may have any number of them


class RefusedReports:
    """Which senders of reports are refused, and why.

    Anybody can send a datagram from the address of a peer, but cannot sign it. So a sender counts
    as refused while nothing that it has sent is kept.
    """

    def __init__(self):
        self._last = {}     # (ip, port) -> (reason, when)
        self._kept = {}     # (ip, port) -> when its last report was kept

    def note(self, address, reason, now):
        """Note why a datagram from `address`, an (ip, port), was refused; None: it was kept."""
        if reason is None:
            self._kept[address] = now
        elif reason in WORDS and (address in self._last or len(self._last) < MANY):
            self._last[address] = reason, now

    def fault(self, peers, now, age):
        """Return a sentence on those of `peers`, addresses, that were refused lately, or None.

        What is older than `age` seconds is forgotten.
        """
        self._last = {address: (reason, at) for address, (reason, at) in self._last.items()
                      if now - at <= age}
        self._kept = {address: at for address, at in self._kept.items() if now - at <= age}
        refused = [f'{endpoint(*address)} are refused: {WORDS[reason]}'
                   for address, (reason, _at) in sorted(self._last.items())
                   if address in peers and address not in self._kept]
        return f'reports of {"; of ".join(refused)}' if refused else None
