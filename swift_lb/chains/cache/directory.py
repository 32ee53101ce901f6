"""Which hosts keep the results of which requests, as far as one host has been told. Pure.

Swala's replicated directory (Holmedahl, Smith and Yang, "Cooperative Caching of Dynamic Content on
a Distributed Web Server", HPDC-7, 1998): each host keeps all of it, and is told of changes after
they were made. So it may be wrong, in two ways, neither of which gives a wrong answer:

    a host keeps a result of which nothing is known here: it is computed twice
    a host no longer keeps it: it is computed there
"""
MOST = 1 << 18      # keys of one host; it is told again of those that it forgets


class Directory:
    """The hosts that keep the results of requests, by the keys of these."""

    def __init__(self):
        self._hosts = {}    # key -> [host, ...], in the order in which they told
        self._keys = {}     # host -> {key, in the order in which they came: None}

    def told(self, host, kept, gone=()):
        """Note that a host keeps results of the requests `kept`, and no longer those of `gone`."""
        keys = self._keys.setdefault(host, {})
        for key in gone:
            if key in keys:
                self._drop(host, keys, key)
        for key in kept:
            if key not in keys:
                keys[key] = None
                self._hosts.setdefault(key, []).append(host)
        while len(keys) > MOST:
            self._drop(host, keys, next(iter(keys)))

    def _drop(self, host, keys, key):
        del keys[key]
        self._hosts[key].remove(host)
        if not self._hosts[key]:
            del self._hosts[key]

    def forget(self, host):
        """Forget what a host keeps."""
        keys = self._keys.pop(host, {})
        for key in list(keys):
            self._drop(host, keys, key)

    def where(self, key):
        """Return the hosts that keep the results of a request, those that told first come first."""
        return tuple(self._hosts.get(key, ()))

    def counts(self):
        """Return {host: number of requests whose results it keeps}."""
        return {host: len(keys) for host, keys in self._keys.items()}
