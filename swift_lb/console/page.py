"""A proxy's status page, parsed and checked: the counts of a host, or of a single worker. Pure.

Values are seconds, bytes per second and counts, as on the page; None means unknown.
"""
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.console import checked
from swift_lb.console.checked import number, record, text
from swift_lb.errors import StatusError

FORMAT = 2          # of the pages that this version reads
DEFAULT = 'default'  # the page's key for storage policies without a section of their own


class Facts(NamedTuple):
    """The measurements of one device, by a worker or by all workers that share a book."""

    in_flight: int
    chunks: int
    successes: int
    errors: int
    timeouts: int
    oldest_wait: float | None
    connect_time: float | None
    first_byte_time: float | None
    first_byte_age: float | None
    last_throughput: float | None
    last_chunk_age: float | None


class DeviceFacts(NamedTuple):
    """One device: its Facts, how often it was put first, and why, for each storage policy."""

    node: str
    choices: int
    why: Mapping        # storage policy index as text, or DEFAULT -> reason
    facts: Facts


class ReplicaPlace(NamedTuple):
    """One device's place in the order of an object's replicas."""

    node: str
    error_limited: bool
    why: str
    facts: Facts


class Order(NamedTuple):
    """The order in which a read of one object would try its replicas."""

    path: str
    storage_policy: int
    partition: int
    places: tuple


class Policy(NamedTuple):
    """The name of the replica policy for a storage policy, and whether lb_enabled is true."""

    name: str
    enabled: bool


class Book(NamedTuple):
    """A book: the file in shared memory in which the workers of a host keep their counts."""

    id: str             # unique over all hosts
    path: str
    workers: int


class Page(NamedTuple):
    """The parts of a proxy's status page that the console uses."""

    pid: int
    worker: int | None  # its number; None for a page read from a book's file
    policies: Mapping   # storage policy index as text, or DEFAULT -> Policy
    devices: tuple
    order: Order | None
    book: Book | None = None    # None: the worker's own

    @property
    def keeper(self):
        """Return the id of the book whose counts the page shows; without one, a worker's pid."""
        return self.book.id if self.book else self.pid

    @property
    def workers(self):
        """Return the number of workers whose counts the page shows."""
        return self.book.workers if self.book else 1

    def policy(self, index=None):
        """Return the Policy for storage policy `index`; None: for those without a conf section."""
        return self.policies.get(str(index)) or self.policies[DEFAULT]


def parse(body, url):
    """Return the Page in `body`, bytes from `url`; raises StatusError for anything else."""
    raw = checked.read(body, url, 'proxy with lb_status in its pipeline')
    if not isinstance(raw, dict) or 'format' not in raw:
        raise StatusError(f'{url} answers with JSON that is not a status page')
    if raw['format'] != FORMAT:
        raise StatusError(f'{url} has a status page of format {raw["format"]!r}, and this swift-lb '
                          f'reads format {FORMAT}: use the version the proxy runs')
    return checked.made(_page, raw, url, 'a status page with a fault in it')


def _page(raw):
    policies = {name: Policy(text(one['policy']), bool(one['enabled']))
                for name, one in raw['policies'].items()}
    if DEFAULT not in policies:
        raise KeyError(DEFAULT)
    return Page(number(raw['pid']), raw['worker'], policies,
                tuple(_with_facts(DeviceFacts, one, why=_texts) for one in raw['nodes']),
                _order(raw['object']) if 'object' in raw else None,
                record(Book, raw['book'], workers=len) if raw['book'] is not None else None)


def _order(raw):
    places = tuple(_with_facts(ReplicaPlace, one, error_limited=bool) for one in raw['order'])
    return record(Order, raw | {'places': places}, places=tuple)


def _with_facts(kind, raw, **parsers):
    """Return a `kind` of the JSON object `raw`, by a parser a field; `facts` are its own Facts."""
    return record(kind, raw | {'facts': record(Facts, raw)}, facts=Facts._make, **parsers)


def _texts(raw):
    return {index: text(reason) for index, reason in raw.items()}
