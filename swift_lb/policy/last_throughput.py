"""LB-RL: the throughput of the last chunk read.

    cost = -lastReadDataChunkThroughput

    lastReadDataChunkThroughput   bytes per second (Equation 1, load/last_chunk.py)

The paper proposes it beside LB-RLT and finds it "not enough because the bad node continued to be
selected for reading more than it was needed".

Source: LB-RLT paper, Tables 5 and 6, section 5.
"""
from swift_lb.policy.measured import Measured


class LastThroughput(Measured):
    """Order by the throughput of each node's last chunk, highest first."""

    def measure(self, node, snapshot):
        """Return the instant of the last chunk and minus its throughput, bytes per second."""
        load = snapshot.of(node)
        return None if load.last_chunk_at is None else (load.last_chunk_at, -load.last_throughput)

    def reason(self, node, snapshot):
        """Say the throughput."""
        return f'last chunk {snapshot.of(node).last_throughput:,.0f} B/s'
