"""The dispatchers: serve here, or delegate to one of those that take."""


class Dispatchers:
    """Do what each node's own Instruction says."""

    def __init__(self, agenda, rng, proxies, setting):
        """`proxies` is {name: Proxy}."""
        self._agenda, self._rng, self._proxies, self._hop = agenda, rng, proxies, setting.hop
        self._known = {}        # name -> (Instruction, fraction kept, takers, their shares)

    def receive(self, name, instruction, request):
        """Let the node `name` or another serve a Request; at most one hop, so it is served there.
        """
        rng = self._rng
        known = self._known.get(name)
        if known is None or known[0] is not instruction:
            known = self._known[name] = self._read(name, instruction)
        _instruction, keep, takers, shares = known
        if takers and keep < 1 and rng.random() >= keep:
            request.delegated = True
            taker = rng.choices(takers, shares)[0]
            self._agenda.at(self._agenda.now + self._hop, taker.serve, request)
        else:
            self._proxies[name].serve(request)

    def _read(self, name, instruction):
        others = [part for part in instruction.parts if part.take > 0 and part.node != name
                  ] if instruction else []
        own = instruction and instruction.of(name)
        return (instruction, own.keep if own else 1.0,
                [self._proxies[part.node] for part in others], [part.take for part in others])
