"""Which proxy answers a request for a part of an image, so that all keep few results twice. Pure.

    owner   home       = of the proxies that are up, the one that the hash of the request's key
                         selects, by rendezvous (LocalityLeastConnection in
                         policy/backends/hashed.py)
            overloaded = in_flight(home) > USUAL x weight(home), and some proxy that is up has
                         in_flight < USUAL x weight / 2
    swala   home       = this proxy if it keeps a result of the request; else, of the proxies that
                         are up, the one that first told that it keeps one; else this proxy
                         (chains/cache/directory.py)

    home answers, unless it is overloaded, has failed a moment ago, or does not answer: then this
    proxy does. A proxy whose decoder did not answer in the last LACKING seconds is no home; while
    this one is such, it has the home that `owner` finds, overloaded or not.

    in_flight   requests that this host has sent to the proxy and that are not yet answered; of this
                proxy: the parts of images that it answers
    weight      static, 1 by default
    USUAL       twice the decoders of four cores. How many the home has is not known here, since the
                Instruction does not tell; the operator's weights stand for it

With `owner` there is no directory that could be wrong: all dispatchers have the same Instruction
and find the same home. When a proxy goes, only its keys get another one.
"""
from swift_lb.dispatch.chooser import ALONE
from swift_lb.dispatch.content import COMPUTING
from swift_lb.model import UP, RequestFacts
from swift_lb.policy.backends import BackendOptions
from swift_lb.policy.backends.hashed import LocalityLeastConnection

OWNER, SWALA, NONE = RULES = 'owner', 'swala', 'none'       # NONE: as any other request
USUAL = 8
LACKING = 10.0      # seconds
OVERLOADED, UNANSWERED = 'overloaded', 'unanswered'     # why this proxy answers, as OWNER and ALONE


class Owners(LocalityLeastConnection):
    """The rule that finds the owner of a key, and whether it has too much to do."""

    usual = USUAL

    def __init__(self, weights):
        super().__init__(BackendOptions(weights))


class Cooperation:
    """Chooses the proxy for requests for parts of images, of one worker."""

    def __init__(self, rule, chooser, weights, where):
        """Take one of RULES, the worker's Chooser, and the operator's weights of proxies.

        For SWALA, `where(key)` returns the names of those that keep results of a request.
        """
        self.rule, self._chooser, self._owners, self._where = rule, chooser, Owners(weights), where
        self._lacking = {}      # Backend -> the instant from which it may be a home again

    def begin_part(self, now):
        """Count a part that this proxy answers, until nothing refers to what is returned."""
        here = self._chooser.view.here
        return here and self._chooser.ledger.begin_part(here, now)

    def order(self, key, now):
        """Return ([the peer to ask], None), or ([], why this proxy answers the request `key`)."""
        home, why = self.home(key, now)
        if why is not None:
            return [], why
        self._chooser.ledger.chosen(home, now)
        return [home], None

    def lacks(self, backend, now):
        """Note that no decoder answers at a Backend."""
        self._lacking[backend] = now + LACKING

    def _is_lacking(self, backend, now):
        return self._lacking.get(backend, now) > now

    def home(self, key, now):
        """Return (the Backend that should answer a key, None, or why this proxy does all the same).

        The Backend is None if no proxy is known to be up.
        """
        chooser, ledger = self._chooser, self._chooser.ledger
        if chooser.follow() is None or chooser.view.here is None:
            return None, ALONE
        here, nodes = chooser.view.here, chooser.view.nodes
        snapshot = ledger.snapshot(nodes, {}, here, RequestFacts('GET', key, '', COMPUTING, 0),
                                   ledger.in_flight(here), counts=True)
        up = [backend for backend, node in nodes.items()
              if node.state == UP and not self._is_lacking(backend, now)]
        lacking = self._is_lacking(here, now)
        home = (self._keeper(key, up, here) if self.rule == SWALA and not lacking else
                self._owners.home(up, snapshot))
        if home is None:
            return None, ALONE
        if home == here:
            return home, OWNER
        if not lacking and self._owners.overloaded(home, up, snapshot):
            return home, OVERLOADED
        return home, UNANSWERED if ledger.record(home).ejected_until > now else None

    def _keeper(self, key, up, here):
        keepers = {backend.name: backend for backend in [*up, here]}
        found = [keepers[name] for name in self._where(key) if name in keepers]
        return here if here in found or not found else found[0]
