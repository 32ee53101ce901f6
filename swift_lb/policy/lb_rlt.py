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

    def cost(self, load):
        """Return minus the score, in bytes per second times chunks."""
        return -load.last_throughput * load.chunks

    def measured_at(self, load):
        """Return the instant of the last chunk."""
        return load.last_chunk_at

    def reason(self, load):
        """Say the score and its two factors."""
        return (f'score {-self.cost(load):.3g} = '
                f'{load.last_throughput:,.0f} B/s x {load.chunks} chunks')
