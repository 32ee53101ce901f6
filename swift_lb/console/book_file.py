"""Read a host's book from its file, without a request to a proxy."""
from swift_lb.clock import monotonic
from swift_lb.console.page import DEFAULT, Book, DeviceFacts, Facts, Page, Policy
from swift_lb.errors import SharedMemoryError, StatusError
from swift_lb.load import table
from swift_lb.load.shared_record import loads
from swift_lb.shared_memory import read_only

NOT_SAID = Policy('-', True)    # the book does not contain the policies; only the proxies know them


class BookFile:
    """The file of one book, with the interface of fetch.Source, which reads a proxy's page."""

    def __init__(self, path):
        """Take the `path` that lb_status shows."""
        self.url = path

    def page(self, path=None):
        """Return the Page of the book; `path`, of an object, is ignored: a book knows no objects.

        Raises StatusError, with one sentence, if there is no such book.
        """
        try:
            buffer, alive = read_only(self.url, table.fault, table.SLOTS)
        except SharedMemoryError as err:
            raise StatusError(str(err)) from None
        found, now = table.Table(buffer), monotonic()
        alive = [slot for slot in found.slots_in_use() if slot in alive]
        devices = tuple(DeviceFacts(str(node), load.choices, {}, facts(load, now))
                        for node, load in sorted(loads(found, alive), key=str))
        return Page(0, None, {DEFAULT: NOT_SAID}, devices, None,
                    Book(self.url, self.url, len(alive)))


def facts(load, now):
    """Return the Facts of a NodeLoad at the instant `now`."""
    def age(instant):
        return None if instant is None else max(0.0, now - instant)
    return Facts(load.in_flight, load.chunks, load.successes, load.errors, load.timeouts,
                 age(load.waiting_since), load.connect_time, load.first_byte_time,
                 age(load.first_byte_at), load.last_throughput, age(load.last_chunk_at))
