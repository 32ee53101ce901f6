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

    def cost(self, load):
        """Return minus the throughput in bytes per second."""
        return -load.last_throughput

    def measured_at(self, load):
        """Return the instant of the last chunk."""
        return load.last_chunk_at

    def reason(self, load):
        """Say the throughput."""
        return f'last chunk {load.last_throughput:,.0f} B/s'
