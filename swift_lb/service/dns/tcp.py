"""DNS over TCP (RFC 7766): many messages on a connection, answered in order.

Within `timeout` seconds a message must arrive completely and its answer must be accepted, or the
connection is closed. If the limit of connections is reached, or one address has a tenth of it, the
connection that has been silent for the longest, of all or of that address, is closed for a new one.
Between two answers to one client, all other clients are served.
"""
from collections import Counter

from swift_lb.concurrency import Timeout, sleep, spawn

READ = 65536            # bytes at once
LENGTH = 2              # bytes before a message that hold its length
ONE_IN = 10               # an address gets at most a tenth of the places (RFC 9210 4.2)
BREATH = 0.05           # seconds to wait after accept() has failed


class Tcp:
    """Answers DNS messages on the TCP connections of many clients, in one process."""

    def __init__(self, answer, clients, timeout, say):
        """Take `answer(data, ip)`, which returns bytes or None, and `clients`, a limit.

        At most `clients` connections are open; `timeout` is the seconds for a message and its
        answer; `say(err)` reports internal errors.
        """
        self._answer, self._most, self._timeout, self._say = answer, clients, timeout, say
        self._clients = {}      # connection -> (thread, ip), by the time of the last message
        self._places = Counter()    # ip -> connections

    def accept_for_ever(self, listener):
        """Accept connections of the socket `listener`, and answer each in its own green thread."""
        while True:
            try:
                connection, address = listener.accept()
            except OSError as err:      # no file descriptor is left, or the client has closed
                self._say(err)
                self._make_room(self._clients)
                sleep(BREATH)           # other connections may end meanwhile
                continue
            self._admit(connection, address[0])

    def _admit(self, connection, ip):
        if self._places[ip] >= max(1, self._most // ONE_IN):
            self._make_room(one for one, (_thread, its) in self._clients.items() if its == ip)
        elif len(self._clients) >= self._most:
            self._make_room(self._clients)
        self._places[ip] += 1
        self._clients[connection] = spawn(self._serve, connection, ip), ip

    def _make_room(self, connections):
        """Close the first of `connections`, the one silent for the longest, if there is one."""
        for connection in connections:
            thread, _ip = self._clients[connection]
            self._forget(connection)
            thread.kill()
            connection.close()      # a thread that has not started yet cannot close it
            return

    def _forget(self, connection):
        _thread, ip = self._clients.pop(connection, (None, None))
        self._places[ip] -= 1
        if self._places[ip] <= 0:           # drop addresses without connections
            del self._places[ip]

    def _serve(self, connection, ip):
        try:
            self._talk(connection, ip)
        except (OSError, Timeout):
            pass                        # a client that does not send, or receive, in time
        except Exception as err:
            self._say(err)
        finally:
            self._forget(connection)
            connection.close()

    def _talk(self, connection, ip):
        buffer = b''
        while True:
            with Timeout(self._timeout):
                while (message := first_of(buffer)) is None:
                    more = connection.recv(READ)
                    if not more:
                        return
                    buffer += more
                buffer = buffer[LENGTH + len(message):]
                self._clients[connection] = self._clients.pop(connection)
                answer = self._answer(message, ip)
                if answer is None:
                    return              # no query can follow
                connection.sendall(len(answer).to_bytes(LENGTH, 'big') + answer)
            sleep(0)


def first_of(buffer):
    """Return the first message in `buffer`, without its 2 bytes of length; None if incomplete."""
    end = LENGTH + int.from_bytes(buffer[:LENGTH], 'big')
    return buffer[LENGTH:end] if LENGTH <= len(buffer) and end <= len(buffer) else None
