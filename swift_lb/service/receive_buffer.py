"""What a socket keeps until it is read."""
import contextlib
import socket
import struct

SO_RCVBUFFORCE = getattr(socket, 'SO_RCVBUFFORCE', 33)     # Linux; Python has no name for it


def enlarge(made, size):
    """Have the socket `made` keep `size` bytes; beyond the system's limit only root has them."""
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    with contextlib.suppress(OSError):
        made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, struct.pack('i', size))
