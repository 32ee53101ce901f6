"""Sends messages on the daemon's streams."""
from swift_lb.wire.image_job import pack_begin

PIECE = 1 << 20     # bytes; asyncio copies what the other end does not take at once


async def send(writer, message, body):
    """Send a message, a dict, and its body, of which only a piece is copied at a time."""
    writer.write(pack_begin(message, len(body)))
    view = memoryview(body)
    for begin in range(0, len(body), PIECE):
        writer.write(view[begin:begin + PIECE])
        await writer.drain()
    await writer.drain()
