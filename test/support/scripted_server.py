"""A server on a real socket whose answers, correct or not, a function of the test sends."""
import socket
import ssl
import threading

from support.free_port import held_port

REPLY = b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'


class ScriptedServer:
    """Calls `script(connection, number)` in a thread for each connection; number counts from 0.

    It serves inside a `with`; afterwards its port refuses connections as long as the object exists.
    """

    def __init__(self, script, certificate=None):
        """`certificate` is (certificate file, key file) for TLS."""
        self._script, self._certificate = script, certificate
        self._holder = held_port()
        self._socket = socket.create_server(self._holder.getsockname())
        self.port = self._socket.getsockname()[1]
        self.connections = 0

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_exc):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self):
        while True:
            try:
                connection, _address = self._socket.accept()
            except OSError:
                return
            number, self.connections = self.connections, self.connections + 1
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection, number):
        try:
            if self._certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*self._certificate)
                connection = context.wrap_socket(connection, server_side=True)
            self._script(connection, number)
        except OSError:
            pass  # the client went away
        finally:
            connection.close()


def read_head(connection):
    """Return the bytes of the next request's head from a socket, b'' if the connection ends."""
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        byte = connection.recv(1)
        if not byte:
            return b''
        head += byte
    return head


def always(reply):
    """Return a script that sends `reply`, bytes, to each request; requests have no body."""
    def script(connection, _number):
        while read_head(connection):
            connection.sendall(reply)
    return script


def keeping(heads, reply=REPLY):
    """Return a script that appends the head of one request to `heads`, and sends `reply`."""
    def script(connection, _number):
        heads.append(read_head(connection).decode())
        connection.sendall(reply)
    return script


def once(reply, then=lambda _connection: None):
    """Return a script that sends `reply`, bytes, to one request, then calls `then(connection)`."""
    def script(connection, _number):
        read_head(connection)
        connection.sendall(reply)
        then(connection)
    return script


def reset(connection):
    """Close a socket with a RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\x01\0\0\0\0\0\0\0')
    connection.close()


def taking(bodies):
    """Return a script that sends 100, reads the body, and sends REPLY, for each request.

    Appends [head, body] of each request to `bodies`.
    """
    def script(connection, _number):
        while head := read_head(connection):
            bodies.append([head, b''])
            connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
            length = next((int(line.split(b':')[1]) for line in head.split(b'\r\n')
                           if line.lower().startswith(b'content-length:')), None)
            while (len(bodies[-1][1]) < length if length is not None else
                   not bodies[-1][1].endswith(b'0\r\n\r\n')):
                bodies[-1][1] += connection.recv(65536)
            connection.sendall(REPLY)
    return script
