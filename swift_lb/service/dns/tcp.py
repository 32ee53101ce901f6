"""Messages by TCP (RFC 7766): many on a connection, one after the other, sent as they come.

A message has to be there in whole within `timeout` seconds, and an answer to be taken: who dawdles
is left. When all places are taken, or an address has its part of them, who has been silent for the
longest makes room. Between two answers to one client, all others have their turn.
"""
from collections import Counter

from swift_lb.concurrency import Timeout, sleep, spawn

READ = 65536            # bytes at once
LENGTH = 2              # bytes before a message that say how long it is
PART = 10               # an address has a tenth of the places at most (RFC 9210 4.2)
BREATH = 0.05           # seconds


class Tcp:
    """Answer what comes by connections."""

    def __init__(self, answer, clients, timeout, say):
        """`answer(data, ip)` returns bytes or None; `say(err)` tells of what must not be."""
        self._answer, self._most, self._timeout, self._say = answer, clients, timeout, say
        self._clients = {}      # connection -> (thread, ip); who was heard last is last
        self._places = Counter()    # ip -> connections

    def accept_for_ever(self, listener):
        """Take connections of `listener`."""
        while True:
            try:
                connection, address = listener.accept()
            except OSError as err:      # no file descriptor is left, or the client has gone again
                self._say(err)
                self._make_room(self._clients)
                sleep(BREATH)           # others may be done with theirs meanwhile
                continue
            self._admit(connection, address[0])

    def _admit(self, connection, ip):
        if self._places[ip] >= max(1, self._most // PART):
            self._make_room(one for one, (_thread, its) in self._clients.items() if its == ip)
        elif len(self._clients) >= self._most:
            self._make_room(self._clients)
        self._places[ip] += 1
        self._clients[connection] = spawn(self._serve, connection, ip), ip

    def _make_room(self, connections):
        """Leave the first of `connections`, if there is one."""
        for connection in connections:
            thread, _ip = self._clients[connection]
            self._forget(connection)
            thread.kill()
            connection.close()      # a thread that has not begun yet does not end itself
            return

    def _forget(self, connection):
        _thread, ip = self._clients.pop(connection, (None, None))
        self._places[ip] -= 1
        if self._places[ip] <= 0:           # who has none left is forgotten
            del self._places[ip]

    def _serve(self, connection, ip):
        try:
            self._talk(connection, ip)
        except (OSError, Timeout):
            pass                        # who does not say, or take, anything in time
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
                found = self._answer(message, ip)
                if found is None:
                    return              # nothing that could be a query comes after this
                connection.sendall(len(found).to_bytes(LENGTH, 'big') + found)
            sleep(0)


def first_of(buffer):
    """Return the first message in `buffer`, None as long as it is not whole."""
    end = LENGTH + int.from_bytes(buffer[:LENGTH], 'big')
    return buffer[LENGTH:end] if LENGTH <= len(buffer) and end <= len(buffer) else None
