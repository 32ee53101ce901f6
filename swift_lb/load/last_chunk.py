"""The two metrics of the LB-RLT paper: last chunk throughput and count of chunks read.

    Throughput = dataChunkSize / dataChunkTransferTime                          (Equation 1)

    dataChunkSize          bytes of the chunk just read; the paper's size is fixed, but a short last
                           chunk counted as a full one would be a rate nobody measured
    dataChunkTransferTime  seconds, from the start of the chunk's clock to its last byte
    totalReadDataChunks    chunks "received with success ... until present moment"

Source: Almeida, Cavalcante, Sousa, Machado, "LB-RLT Approach for Load Balancing Heterogeneous
Storage Nodes", section 2 and Algorithm 2, lines 9 to 11.
"""

# A chunk that already lay in the socket buffer can take less than the clock's resolution.
SHORTEST = 1e-6  # seconds


class LastChunk:
    """Keep the throughput of a node's last chunk and the count of its chunks."""

    __slots__ = ('at', 'count', 'throughput')

    def __init__(self):
        self.throughput = None  # bytes per second
        self.at = None          # instant of the last chunk
        self.count = 0

    def read(self, size, seconds, now):
        """Record one chunk of `size` bytes that took `seconds` and ended at `now`."""
        self.throughput = size / max(seconds, SHORTEST)
        self.at = now
        self.count += 1
