"""DNS over UDP: a loop that receives queries and sends answers, in a process of its own."""
from swift_lb.concurrency import plain_epoll
from swift_lb.service.dns.batch import Batch


class Udp:
    """Answers the datagrams that arrive at `sockets`, several with each system call."""

    def __init__(self, sockets, answer, clock, say):
        """Take UDP sockets, and `answer(data, ip, now)`, which returns the answer or None.

        `ip` is the client's, `now` is clock(), monotonic; `say(err)` reports internal errors.
        """
        self._batches = {one.fileno(): Batch(one) for one in sockets}
        self._answer, self._clock, self._say = answer, clock, say
        self._epoll = plain_epoll()
        for number in self._batches:
            self._epoll.register(number, 1)     # EPOLLIN

    def serve_for_ever(self, step, seconds):
        """Answer until the process is ended; call `step()` at least every `seconds`."""
        while True:
            step()
            self.serve(seconds)

    def serve(self, seconds):
        """Wait at most `seconds` for datagrams, and answer those that have arrived."""
        for number, _event in self._epoll.poll(seconds):
            try:
                self._drain(self._batches[number])
            except OSError as err:      # such as no memory; the datagrams stay in the socket
                self._say(err)

    def _drain(self, batch):
        answer, now = self._answer, self._clock()
        for place, (data, ip) in enumerate(batch.receive()):
            try:
                reply = answer(data, ip, now)
                if reply is not None:
                    batch.answer(place, reply)
            except Exception as err:    # one query's error must not prevent other answers
                self._say(err)
        for err in batch.send():        # no route, a full buffer, port 0
            self._say(err)
