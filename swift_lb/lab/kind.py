"""The kinds of servers that can have handicaps, and their names."""
from typing import NamedTuple


class Kind(NamedTuple):
    """One kind of server."""

    server: str     # the prefix of its servers' names
    one: str        # the word for one of them, also in a change: node=1
    many: str


NODE = Kind('object', 'node', 'nodes')
PROXY = Kind('proxy', 'proxy', 'proxies')
V1 = 'v1'       # stands for a device of a proxy: its requests to /v1/
