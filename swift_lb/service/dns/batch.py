"""Receive and send up to BATCH_SIZE datagrams with one system call: recvmmsg and sendmmsg.

With Python's recvfrom and sendto each datagram needs two system calls, and its address is converted
to a tuple and back: that is a third of the 2 us that an answer takes. The standard library lacks
recvmmsg and sendmmsg; ctypes calls them in the C library, with buffers and headers that are made
once. An answer is sent to the address that the kernel has stored with the query; Python reads only
the client's IP from it.
"""
import ctypes
import errno
import socket

from swift_lb.service.kernel import LIBRARY, fault

BATCH_SIZE = 64            # datagrams, then other sockets and the clock are served
MAX_DATAGRAM = 4096             # bytes of a datagram; longer queries are truncated
ADDRESS = 28            # bytes of a sockaddr_in6, the longest
TEXTS = 50_000          # addresses whose text is cached
# For each family: the size of a sockaddr, and the begin and end of the IP address in it.
OF_FAMILY = {socket.AF_INET: (16, 4, 8), socket.AF_INET6: (ADDRESS, 8, 24)}
WORD = ctypes.sizeof(ctypes.c_size_t)


class Iovec(ctypes.Structure):
    """C's struct iovec: the memory address of a buffer, and its number of bytes."""

    _fields_ = (('base', ctypes.c_void_p), ('length', ctypes.c_size_t))


class Message(ctypes.Structure):
    """C's struct msghdr: where the peer's address and the buffers of one datagram are."""

    _fields_ = (('name', ctypes.c_void_p), ('name_length', ctypes.c_uint32),
                ('iovec', ctypes.c_void_p), ('iovecs', ctypes.c_size_t),
                ('control', ctypes.c_void_p), ('control_length', ctypes.c_size_t),
                ('flags', ctypes.c_int))


class Header(ctypes.Structure):
    """C's struct mmsghdr: the Message of a datagram, and the number of bytes transferred."""

    _fields_ = (('message', Message), ('length', ctypes.c_uint))


NOW = ctypes.c_int(socket.MSG_DONTWAIT)


class Side:
    """The headers and buffers for one direction: for datagrams to receive, or for those to send."""

    def __init__(self, addresses, address_length):
        """Take a buffer of BATCH_SIZE addresses, ADDRESS bytes apart, and the bytes of each."""
        self.bytes = memoryview(bytearray(BATCH_SIZE * MAX_DATAGRAM))
        self.headers, self._iovecs = (Header * BATCH_SIZE)(), (Iovec * BATCH_SIZE)()
        at, names = address_of(self.bytes), address_of(addresses)
        for place in range(BATCH_SIZE):
            self._iovecs[place] = Iovec(at + place * MAX_DATAGRAM, MAX_DATAGRAM)
            message = self.headers[place].message
            message.name, message.name_length = names + place * ADDRESS, address_length
            message.iovec, message.iovecs = ctypes.addressof(self._iovecs[place]), 1
        # Memoryviews of numbers, because access by ctypes takes five times as long.
        self.names = numbers(self.headers, 'N')[Message.name.offset // WORD:]
        self.lengths = numbers(self.headers, 'I')[Header.length.offset // 4:]
        self.sizes = numbers(self._iovecs, 'N')[Iovec.length.offset // WORD:]


NAME, LENGTH, SIZE = (ctypes.sizeof(Header) // WORD, ctypes.sizeof(Header) // 4,
                      ctypes.sizeof(Iovec) // WORD)     # steps from one place to the next


class Batch:
    """The datagrams that a socket received with one system call, and the answers to them."""

    def __init__(self, one):
        """Take an open UDP socket: AF_INET or AF_INET6."""
        self._file = ctypes.c_int(one.fileno())
        length, self._begin, self._end = OF_FAMILY[one.family]
        self._addresses = memoryview(bytearray(BATCH_SIZE * ADDRESS))
        self._received, self._sent = (Side(self._addresses, length) for _side in range(2))
        self._names = [self._received.names[place * NAME] for place in range(BATCH_SIZE)]
        self._texts, self._family, self._answers = {}, one.family, 0

    def receive(self):
        """Return [(data, client's IP)] of the datagrams that wait, or []; raises OSError."""
        count = LIBRARY.recvmmsg(self._file, self._received.headers, BATCH_SIZE, NOW, None)
        if count < 0:
            failed = fault()
            if failed.errno in (errno.EAGAIN, errno.EINTR):
                return []
            raise failed
        data, lengths = self._received.bytes, self._received.lengths
        begins = range(0, count * MAX_DATAGRAM, MAX_DATAGRAM)
        return [(bytes(data[begin:begin + lengths[place * LENGTH]]), self._ip(place))
                for place, begin in enumerate(begins)]

    def _ip(self, place):
        begin = place * ADDRESS
        address = bytes(self._addresses[begin + self._begin:begin + self._end])
        return self._texts.get(address) or self._text(address)

    def _text(self, address):
        if len(self._texts) >= TEXTS:
            self._texts.clear()
        text = self._texts[address] = socket.inet_ntop(self._family, address)
        return text

    def answer(self, place, data):
        """Keep `data`, the answer to datagram number `place` of the last receive(), until send().

        Raises ValueError if the answer is too long.
        """
        sent, number, size = self._sent, self._answers, len(data)
        if size > MAX_DATAGRAM:
            raise ValueError(f'an answer of {size} bytes: {MAX_DATAGRAM} is the most')
        begin = number * MAX_DATAGRAM
        sent.bytes[begin:begin + size] = data
        sent.sizes[number * SIZE] = size
        sent.names[number * NAME] = self._names[place]
        self._answers = number + 1

    def send(self):
        """Send the answers; yield an OSError for each answer that the kernel refuses to send."""
        begin, end, self._answers = 0, self._answers, 0
        while begin < end:
            count = LIBRARY.sendmmsg(
                self._file, ctypes.byref(self._sent.headers, begin * ctypes.sizeof(Header)),
                end - begin, NOW)
            if count < 0:       # the first answer failed: continue with the next
                yield fault()
                count = 1
            begin += count


def address_of(buffer):
    """Return the address in memory of a memoryview's buffer, which the view keeps in place."""
    return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))


def numbers(array, kind):
    """Return the memory of a ctypes array as numbers: `kind` is 'N' for words, 'I' for 32 bits."""
    return memoryview(array).cast('B').cast(kind)
