"""A trivial storage server, as cheap as Python allows: it answers every request with success.

`python test/support/stub_server.py PORT [BYTES]` serves until SIGTERM, and prints its port when
it is ready; a GET returns BYTES bytes. It parses as little as possible, so that a bench measures
the client and not the stub.
"""
import asyncio
import sys

import uvloop

STATUS = {b'GET': b'200 OK', b'PUT': b'201 Created', b'DEL': b'204 No Content',
          b'HEA': b'204 No Content', b'POS': b'202 Accepted'}


class Stub(asyncio.Protocol):
    """One connection; it answers each request. Only a PUT may have a body, with Content-Length."""

    body = b'x' * 4096

    def connection_made(self, transport):
        self._transport, self._data, self._skip = transport, b'', 0

    def data_received(self, data):
        if self._skip:
            skipped = min(self._skip, len(data))
            self._skip -= skipped
            data = data[skipped:]
            if self._skip:
                return
            self._answer(b'PUT')
        data = self._data + data
        while (end := data.find(b'\r\n\r\n')) >= 0:
            head, data = data[:end], data[end + 4:]
            length = self._length(head) if head[:3] == b'PUT' else 0
            if length > len(data):
                self._skip, data = length - len(data), b''
                break
            data = data[length:]
            self._answer(head[:3])
        self._data = data

    def _length(self, head):
        lower = head.lower()
        at = lower.find(b'content-length:')
        return int(lower[at + 15:].split(b'\r\n', 1)[0]) if at >= 0 else 0

    def _answer(self, method):
        body = self.body if method == b'GET' else b''
        status = STATUS[method]
        length = b'' if status[:3] == b'204' else b'Content-Length: %d\r\n' % len(body)
        self._transport.write(b'HTTP/1.1 %b\r\n%bEtag: 0\r\n\r\n%b' % (status, length, body))


async def serve(port):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Stub, '127.0.0.1', port)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == '__main__':
    Stub.body = b'x' * int(sys.argv[2]) if len(sys.argv) > 2 else Stub.body
    uvloop.run(serve(int(sys.argv[1])))
