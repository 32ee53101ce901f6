"""What an operator can say to the dispatcher's policies."""
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class BackendOptions(NamedTuple):
    """The options of a policy of backends; each takes what it has a use for."""

    # static, of the operator: (name of a node,), (ip, port) or (ip,) -> weight, 0 or more; else 1
    weights: Mapping = MappingProxyType({})
    band: float = 0.25      # `adaptive`: nothing is delegated for less than this fraction of time
