"""Datagrams: a loop of its own, in a process of its own, that does nothing else."""
from swift_lb.concurrency import plain_epoll

MOST = 4096     # bytes of a query; what is longer is cut off, and then a FORMERR
AT_ONCE = 64    # datagrams of one socket before others, and the clock, have their turn


class Udp:
    """Answer what comes to `sockets`."""

    def __init__(self, sockets, answer, clock, say):
        """`answer(data, ip, now)` returns bytes or None; `say(err)` tells of what must not be."""
        self._sockets = {one.fileno(): one for one in sockets}
        self._answer, self._clock, self._say = answer, clock, say
        self._epoll = plain_epoll()
        for number in self._sockets:
            self._epoll.register(number, 1)     # EPOLLIN

    def serve_for_ever(self, turn, seconds):
        """Answer until the process is ended; `turn()` is called after `seconds` at most."""
        while True:
            turn()
            self.serve(seconds)

    def serve(self, seconds):
        """Wait for at most `seconds`, and answer what has come."""
        for number, _event in self._epoll.poll(seconds):
            one = self._sockets[number]
            try:
                self._drain(one.recvfrom, one.sendto)
            except OSError as err:      # of earlier answers: who asked is not there any more
                self._say(err)

    def _drain(self, receive, send):
        answer, now = self._answer, self._clock()
        for _time in range(AT_ONCE):
            try:
                data, address = receive(MOST)
            except BlockingIOError:
                return
            try:
                found = answer(data, address[0], now)
            except Exception as err:    # one strange query is not to keep others from an answer
                self._say(err)
                continue
            if found is not None:
                try:
                    send(found, address)
                except OSError as err:  # no route, a full buffer, port 0
                    self._say(err)
