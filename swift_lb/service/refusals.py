"""Why reports are refused: a peer with another key, for example, would just look dead. Pure."""
from swift_lb.config import endpoint

WORDS = {       # reason of the count of refused datagrams: what is wrong with the sender
    'forged': 'it signs with another key', 'garbled': 'its version is another one',
    'namesake': 'it has the name of this node', 'skewed': 'its clock, or ours, is wrong by more '
                                                          'than a minute'}
MANY = 512      # senders that are remembered; a flood may have any number of them


class Refusals:
    """The last refusal of a report for each sender."""

    def __init__(self):
        self._last = {}     # (ip, port) -> (reason, when)

    def note(self, address, reason, now):
        """Note why a datagram from `address`, an (ip, port), was refused; None: it was kept."""
        if reason is None:
            self._last.pop(address, None)
        elif reason in WORDS and (address in self._last or len(self._last) < MANY):
            self._last[address] = reason, now

    def fault(self, peers, now, age):
        """Return a sentence on those of `peers`, addresses, that were refused lately, or None.

        Refusals older than `age` seconds are forgotten.
        """
        self._last = {address: (reason, at) for address, (reason, at) in self._last.items()
                      if now - at <= age}
        refused = [f'{endpoint(*address)} are refused: {WORDS[reason]}'
                   for address, (reason, _at) in sorted(self._last.items()) if address in peers]
        return f'reports of {"; of ".join(refused)}' if refused else None
