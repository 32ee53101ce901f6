"""Messages by TCP (RFC 7766): many on a connection, one after the other, sent as they come.

A message has to be there in whole within `timeout` seconds, and an answer to be taken: who dawdles
is left. When all places are taken, who has been silent for the longest makes room.
"""
from swift_lb.concurrency import Timeout, spawn

READ = 65536            # bytes at once
LENGTH = 2              # bytes before a message that say how long it is


class Tcp:
    """Answer what comes by connections."""

    def __init__(self, answer, clients, timeout, say):
        """`answer(data, ip)` returns bytes or None; `say(err)` tells of what must not be."""
        self._answer, self._most, self._timeout, self._say = answer, clients, timeout, say
        self._clients = {}      # connection -> its thread; who was heard last is last

    def accept_for_ever(self, listener):
        """Take connections of `listener`."""
        while True:
            try:
                connection, address = listener.accept()
            except OSError as err:      # no file descriptor is left, or the client has gone again
                self._say(err)
                continue
            if len(self._clients) >= self._most:
                self._leave(next(iter(self._clients)))
            self._clients[connection] = spawn(self._serve, connection, address[0])

    def _leave(self, connection):
        self._clients.pop(connection).kill()
        connection.close()      # a thread that has not begun yet does not end itself

    def _serve(self, connection, ip):
        try:
            self._talk(connection, ip)
        except (OSError, Timeout):
            pass                        # who does not say, or take, anything in time
        except Exception as err:
            self._say(err)
        finally:
            self._clients.pop(connection, None)
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


def first_of(buffer):
    """Return the first message in `buffer`, None as long as it is not whole."""
    end = LENGTH + int.from_bytes(buffer[:LENGTH], 'big')
    return buffer[LENGTH:end] if LENGTH <= len(buffer) and end <= len(buffer) else None
