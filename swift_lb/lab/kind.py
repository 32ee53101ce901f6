"""The kinds of servers that can be handicapped, and the words for them."""
from typing import NamedTuple


class Kind(NamedTuple):
    """One kind of server."""

    server: str     # what the names of its servers begin with
    one: str        # the word for one of them, also in a change: node=1
    many: str


NODE = Kind('object', 'node', 'nodes')
PROXY = Kind('proxy', 'proxy', 'proxies')
V1 = 'v1'       # what a proxy has instead of devices: its requests to /v1/
