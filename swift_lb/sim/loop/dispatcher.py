"""The dispatchers: serve here, or hand on to another, which serves it: one hop at most."""
from collections import Counter


class Dispatchers:
    """Those of all nodes; these hand on nothing, others say to `whom`."""

    def __init__(self, agenda, rng, proxies, setting):
        """`proxies` is {name: Proxy}."""
        self.agenda, self.rng, self.proxies, self._hop = agenda, rng, proxies, setting.hop
        self._handed_on = {name: Counter() for name in proxies}  # of each: {who served it: count}

    def handed_on(self, name):
        """Return {who served it: requests} of a node, which grows; None: nobody counts them."""
        return None if type(self) is Dispatchers else self._handed_on[name]

    def receive(self, name, instruction, request):
        """Let the node `name` or another serve a Request, by the Instruction of the first."""
        taker = self.whom(name, instruction)
        request.over = self.over
        if taker == name:
            self.proxies[name].serve(request)
        else:
            request.delegated, request.handed_at = True, self.agenda.now
            self.begun(name, taker)
            self.agenda.at(self.agenda.now + self._hop, self.proxies[taker].serve, request)

    def whom(self, name, _instruction):
        """Return the name of who is to serve what has come to the node `name`."""
        return name

    def begun(self, name, taker):
        """Note that `name` hands a request on to `taker`."""

    def over(self, request, _served):
        """Note that a Request is over; `_served`: not given up by its client while it waited."""
        if request.delegated:
            self._handed_on[request.received_by][request.served_by] += 1


class Told(Dispatchers):
    """Keep and take, as the Instruction says: policy `tllb`."""

    def __init__(self, agenda, rng, proxies, setting):
        super().__init__(agenda, rng, proxies, setting)
        self._known = {}        # name -> (Instruction, fraction kept, takers, their shares)

    def whom(self, name, instruction):
        """Draw one of those that take, for what is not kept."""
        known = self._known.get(name)
        if known is None or known[0] is not instruction:
            known = self._known[name] = read(name, instruction)
        _instruction, keep, takers, shares = known
        if takers and keep < 1 and self.rng.random() >= keep:
            return self.rng.choices(takers, shares)[0]
        return name


def read(name, instruction):
    """Return (Instruction, the fraction that a node keeps, names of those that take, shares)."""
    others = [part for part in instruction.parts if part.take > 0 and part.node != name
              ] if instruction else []
    own = instruction and instruction.of(name)
    return (instruction, own.keep if own else 1.0, [part.node for part in others],
            [part.take for part in others])
