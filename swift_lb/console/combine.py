"""Combine the status pages of all proxies into one view, each book of counts once. Pure.

A book has the counts of all workers of a host, or of one worker. Counts and reads in flight are
added; the longest wait is shown. Times and throughputs cannot be added, and a mean would hide the
worker that met trouble: the newest value is shown, with the workers' minimum and maximum beside it.
"""
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.console.page import DEFAULT, Page


class Sighting(NamedTuple):
    """A status page of a proxy, and the instant (seconds) at which it was received."""

    page: Page
    at: float


class Look(NamedTuple):
    """Two status pages with the counts of one book: the newest, and that of an earlier poll."""

    newest: Sighting
    before: Sighting | None


class DeviceRow(NamedTuple):
    """One device in the table of `top`, with the counts of all workers added."""

    node: str
    workers: int                        # number of workers whose books contain the device
    choices: int
    choices_per_second: float | None    # since the previous poll; None in the first one
    share: float | None                 # of the choices since the previous poll, or of all
    in_flight: int
    oldest_wait: float | None
    first_byte_time: float | None       # the newest of any worker
    first_byte_age: float | None
    first_byte_times: tuple | None      # (minimum, maximum) of the workers' newest
    last_throughput: float | None
    last_chunk_age: float | None
    last_throughputs: tuple | None
    chunks: int
    successes: int
    errors: int
    timeouts: int
    why: str                            # the reason of the worker with the newest evidence


class View(NamedTuple):
    """The data that `top` shows: a row for each device, the policies, and the silent proxies."""

    looks: Mapping      # (url, id of the book) -> Look
    rows: tuple
    policies: tuple     # distinct Policy of the storage policy shown; two if proxies differ
    others: Mapping     # storage policy index as text -> distinct Policy, where it has a section
    unanswered: Mapping  # url -> why there was no page
    now: float


def advance(looks, met, now, max_age):
    """Return {(url, id of a book): Look}: `looks` after a poll that has received the pages `met`.

    `looks` is such a dict, `met` is {(url, id of a book): Sighting of the newest page}. A Look
    whose newest page is older than `max_age` seconds is dropped: its worker or proxy has ended.
    """
    fresh = dict(looks)
    for key, sighting in met.items():
        fresh[key] = Look(sighting, looks[key].newest if key in looks else None)
    return {key: look for key, look in fresh.items() if now - look.newest.at <= max_age}


def combine(looks, unanswered, now, index=None):
    """Return the View of `looks`, {(url, id of a book): Look}, at the instant `now`.

    `unanswered` is {url: why it sent no page}. Each device's reason for its place in the order is
    that for storage policy `index`; with None, for storage policies without a conf section.
    """
    known = defaultdict(list)
    for look in distinct(looks):
        earlier = {} if look.before is None else {
            device.node: device.choices for device in look.before.page.devices}
        for device in look.newest.page.devices:
            known[device.node].append((look, earlier.get(device.node, 0), device))
    rows = [_row(node, entries, now, index) for node, entries in known.items()]
    pages = [look.newest.page for look in looks.values()]
    names = sorted({name for page in pages for name in page.policies} - {DEFAULT})
    return View(looks, _shared(rows), _distinct(page.policy(index) for page in pages),
                {name: _distinct(page.policy(name) for page in pages) for name in names},
                unanswered, now)


def distinct(looks):
    """Return the newest Look in the dict `looks` of each book: two proxies may show one."""
    newest = {}
    for place, look in looks.items():
        book = look.newest.page.book.id if look.newest.page.book else place
        if book not in newest or newest[book].newest.at < look.newest.at:
            newest[book] = look
    return newest.values()


def _distinct(policies):
    return tuple(sorted(set(policies)))


def _row(node, entries, now, index):
    facts = [device.facts for _look, _earlier, device in entries]
    first_byte = _newest(entries, 'first_byte_time', 'first_byte_age', now)
    last_chunk = _newest(entries, 'last_throughput', 'last_chunk_age', now)
    rates = [_rate(*entry) for entry in entries if entry[0].before is not None]
    sums = {name: sum(getattr(one, name) for one in facts)
            for name in ('in_flight', 'chunks', 'successes', 'errors', 'timeouts')}
    waits = [one.oldest_wait for one in facts if one.oldest_wait is not None]
    workers = sum(entry[0].newest.page.workers for entry in entries)
    return DeviceRow(node=node, workers=workers, **sums,
                     choices=sum(device.choices for _look, _earlier, device in entries),
                     choices_per_second=sum(rates) if rates else None, share=None,
                     oldest_wait=max(waits, default=None),
                     first_byte_time=first_byte[0], first_byte_age=first_byte[1],
                     first_byte_times=_range(facts, 'first_byte_time'),
                     last_throughput=last_chunk[0], last_chunk_age=last_chunk[1],
                     last_throughputs=_range(facts, 'last_throughput'),
                     why=_reason(entries, now, index))


def _rate(look, earlier, device):
    """Return how often per second `device` was chosen between the two pages of `look`.

    `earlier` is its count of choices on the older page; a count below it restarted at 0.
    """
    new = device.choices - earlier if device.choices >= earlier else device.choices
    return new / max(look.newest.at - look.before.at, 1e-3)


def _newest(entries, value, age, now):
    """Return (value, its age in seconds) of a measurement, from the worker that made it last.

    (None, None) if no worker made it. `value` and `age` name fields of Facts; `entries` are (Look,
    earlier choices, DeviceFacts).
    """
    dated = [(getattr(device.facts, age) + now - look.newest.at, getattr(device.facts, value))
             for look, _earlier, device in entries if getattr(device.facts, age) is not None]
    return min(dated, key=lambda one: one[0])[::-1] if dated else (None, None)


def _range(facts, name):
    values = [getattr(one, name) for one in facts if getattr(one, name) is not None]
    return (min(values), max(values)) if values else None


def _reason(entries, now, index):
    def heard(entry):
        age = entry[2].facts.last_chunk_age
        return float('inf') if age is None else age + now - entry[0].newest.at
    why = min(entries, key=heard)[2].why
    return why.get(str(index), why.get(DEFAULT, ''))


def _shared(rows):
    """Return `rows` with their `share` of all choices since the last poll, at the first of all."""
    recent = any(row.choices_per_second is not None for row in rows)

    def choices(row):
        return (row.choices_per_second or 0.0) if recent else row.choices
    total = sum(map(choices, rows))
    return tuple(row._replace(share=choices(row) / total if total else None) for row in rows)
