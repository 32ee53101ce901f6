"""LB-RLT: last chunk throughput times count of chunks read.

    Performance = lastReadDataChunkThroughput x totalReadDataChunks            (Equation 2)
    cost        = -Performance

    lastReadDataChunkThroughput   bytes per second (Equation 1, load/last_chunk.py)
    totalReadDataChunks           chunks read with success from the node until now

Algorithm 1 scores every replica, Algorithm 2 sorts them, reads from the first, and updates both
metrics at each chunk; "in case of similar performance score ... sorted using round-robin".

Known of it, and left as it is, for this file is the paper's: the count rewards being chosen, so a
node leads until it is slower by the ratio of the counts; nothing is seen of reads that have not
been answered; and proxies do not share what they know.

Source: Almeida et al., "LB-RLT Approach for Load Balancing Heterogeneous Storage Nodes", section 2.
"""
from swift_lb.policy.measured import Measured


class LbRlt(Measured):
    """Order by the paper's performance score, highest first."""

    def measure(self, node, snapshot):
        """Return the instant of the last chunk and minus the score, bytes per second x chunks."""
        load = snapshot.of(node)
        if load.last_chunk_at is None:
            return None
        return load.last_chunk_at, -load.last_throughput * load.chunks

    def reason(self, node, snapshot):
        """Say the score and its two factors."""
        load = snapshot.of(node)
        return (f'score {load.last_throughput * load.chunks:.3g} = '
                f'{load.last_throughput:,.0f} B/s x {load.chunks} chunks')
