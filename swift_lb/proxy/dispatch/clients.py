"""The ways to clients, as the kernel has measured them for their connections (TCP_INFO)."""
import socket
import struct

FROM = 1 << 16          # bytes
MICRO = 1e-6
# struct tcp_info of Linux 4.9 and later: the bit tcpi_delivery_rate_app_limited, tcpi_bytes_acked,
# tcpi_min_rtt in microseconds, tcpi_delivery_rate in bytes per second.
TCP_INFO = struct.Struct('=7xB112xQ20xI8xQ')
LIMITED = 1
NO_RTT = 0xFFFFFFFF


def path_of(connection):
    """Return (rtt in seconds, bytes per second or None) of a TCP socket; None if unknown."""
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO.size)
    except OSError:     # a closed connection, or another kind of socket
        return None
    if len(info) < TCP_INFO.size:   # an older kernel
        return None
    flags, carried, rtt, rate = TCP_INFO.unpack(info)
    if rtt in (0, NO_RTT):
        return None
    known = carried >= FROM and rate and not flags & LIMITED
    return rtt * MICRO, float(rate) if known else None
