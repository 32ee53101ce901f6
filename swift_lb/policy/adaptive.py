"""adaptive: the device that is expected to answer this read first.

    cost     = service x (1 + queue) + late + further x chunk x (1 + streams)

    queue    = ours + theirs
    theirs   = max(0, others x e^(-age / TAU) + surplus x e^(-age / (REST x service)))
    service  = mean of  seconds (weight: samples), report (weight: REPORT x e^(-age / TAU)) and
               common (weight: 1), brought nearer to common by CHANCE standard errors
    common   = harmonic mean of the same seconds and reports of all candidates, each with its
               weight, and of typical (weight: what these lack of 1)
    error    = common / sqrt(samples + REPORT x e^(-age / TAU) + 1)

    chunk    = mean of  further_seconds (weight: its samples) and what the candidates have in
               common (weight: 1), brought nearer to that as service is

    ours       reads of this host on the device without a first byte, now
    others     requests of other proxies there, in the mean of the node's reports; surplus: by how
               many there were more at the last, which is `age` seconds old
    seconds    what this host has seen the device take for one request, and on how many samples that
               rests by now; report: what its node says it takes; typical: the median of all
               devices (load/pace.py)
    common     what is typical of the fast candidates, or of all devices where no candidate is
               known: a storage policy of fast disks is not held against one of slow ones
    further    chunks that follow the first of a read, in the mean of all reads: how large this
               one is, is not known before it is answered
    chunk      seconds the device takes for one of those: a disk or a net that is slow only then
               shows nowhere else
    streams    reads of this host on the device that have their first byte, and the proxy waits for
               the next: what follows the first chunk takes turns with them, and they with it
    error      of a mean of so many samples that vary by as much as they are: exponential ones

So a difference that may be chance is none, near-ties are broken at random, a slow disk is as slow
as it is certain to be, and what is not heard of any more becomes as good as any.

Not seen in the mean of what was answered:

    a device that owes first bytes and has given none for owed > STALLED x service x (1 + theirs)
               late = owed - service, else 0: what has not come for so long may well take as long
               again, but those behind it need not
    a device with less than a sample, of ours or its node's, and UNKNOWN reads of ours queued
               comes after all others: nobody knows, so two find out
    a device unasked for IDLE seconds, while the account has a probe (0.5 % of the orders)
               comes first: somebody has to look whether it has been mended

    CHANCE = 2        standard errors: 1 in 20
    REPORT = 19       samples: what the node's own moving average of weight 0.1 rests on
    OWN = 2           samples of ours, with which a report is held against `seconds`: where it is so
                      far off as a change would be (load/pace.py), it is of before that, and left
                      out; the node's average takes thirty requests to follow, and a device that
                      is avoided gets one a second
    REST = 16         services, after which a queue that all proxies see has settled; between 8 and
                      64 nothing changes (swift-lb sim, paper-128)
    STALLED = 3       times what it takes: 1 in 20 of exponential times of service
    UNKNOWN = 2       reads
    KNOWN = 1         sample
    NEAR = 5 %        of a cost, by which costs that are equal but for rounding are told apart

`limits` is the other half where there are many proxies. What a host knows of a device that others
use too is old when the read comes. So the read takes a question with it: a device with more than

    limit    = (PATIENCE x least cost of those behind it - late - rest) / service - 1
    rest     = further x chunk x (1 + streams)

requests (at least 1), and those of `streams`, declines at once, and the next is asked;
the last never declines. Without a report for SILENT seconds there is nobody who could.
Sender-initiated thresholds: Eager, Lazowska and Zahorjan, "Adaptive load sharing in homogeneous
distributed systems", IEEE TSE 1986, where a threshold and a few tries do nearly as well as knowing
every queue.

    PATIENCE = 1.25   times what is expected elsewhere: at 1 one gains by going there, and at 80 %
                      load one read in two is declined once; at 1.25 it is three in ten, for a p99
                      a tenth later (swift-lb sim, paper-128)
    SILENT = 60 s     a busy host hears hundreds a second, a quiet one needs no limits
"""
from itertools import repeat
from math import exp, inf, sqrt
from typing import NamedTuple

from swift_lb.load.pace import FASTER, SLOWER, FleetPace, Pace, faded
from swift_lb.model import UNKNOWN as UNKNOWN_LOAD
from swift_lb.model import make

CHANCE = 2.0
REPORT = 19.0
REST = 16.0
STALLED = 3.0
OWN = 2.0
UNKNOWN = 2
KNOWN = 1.0
NEAR = 0.05
PATIENCE = 1.25
SILENT = 60.0
NOTHING_KNOWN = 1.0    # seconds: any number, where all candidates have the same


class Expected(NamedTuple):
    """What is expected of one device."""

    held: bool        # back, until somebody has found out
    cost: float       # seconds to the last byte of a read of the mean size
    service: float    # seconds of one request
    queue: float      # requests before this one
    late: float       # seconds it has owed an answer for, beyond those of one request, if stalled
    rest: float       # seconds from the first byte to the last


class Adaptive:
    """Order by the expected time to the last byte of a read of the mean size."""

    kinds = (Pace,)

    def __init__(self, options):
        self._last = None, 0.0, (), ()      # snapshot, now, candidates, Expected of the last order

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, the one expected to answer first leading."""
        draw, expected = rng.random, self.expected(candidates, snapshot, now)
        self._last = snapshot, now, candidates, expected
        found = [(each.held, each.cost * (1.0 + NEAR * draw()), draw(), node)
                 for node, each in zip(candidates, expected, strict=True)]
        found.sort()
        order = [node for _held, _cost, _draw, node in found]
        fleet = snapshot.common.get(Pace)
        if fleet is not None and fleet.may_probe:
            found = _unasked(order, snapshot, now)
            if found is not None:
                order.remove(found)
                order.insert(0, found)
        return order

    def limits(self, order, snapshot, now):
        """Return {node: the most requests it may have and take this read}.

        None for the last, which is to take any, and none where no node reports: without the filter
        nobody declines.
        """
        fleet = snapshot.common.get(Pace)
        if fleet is None or not 0.0 < fleet.reported_at > now - SILENT:
            return {}
        found, least = {}, inf
        expected = self._expected_again(order, snapshot, now)
        for place in range(len(order) - 1, 0, -1):
            least = min(least, expected[place].cost)
            node, before = order[place - 1], expected[place - 1]
            found[node] = snapshot.of(node).streaming + max(
                1.0, (PATIENCE * least - before.late - before.rest) / before.service - 1.0)
        return found

    def _expected_again(self, order, snapshot, now):
        """Return what expected() does; it has most often just been asked, for the order."""
        of, at, candidates, expected = self._last
        if of is snapshot and at == now and len(candidates) == len(order):
            known = dict(zip(candidates, expected, strict=True))
            if known.keys() == set(order):
                return [known[node] for node in order]
        return self.expected(order, snapshot, now)

    def expected(self, candidates, snapshot, now):
        """Return what is Expected of each of the candidates."""
        fleet, loads = snapshot.common.get(Pace), snapshot.loads
        typical = (fleet and fleet.typical) or NOTHING_KNOWN
        known, weights, speed = [], 0.0, 0.0
        for node in candidates:
            load = loads.get(node, UNKNOWN_LOAD)
            pace = load.evidence.get(Pace)
            total, weight = _samples(pace, now)
            if total:
                weights += weight
                speed += weight * weight / total
            known.append((load, pace, total, weight))
        if weights < 1.0:
            speed += (1.0 - weights) / typical
            weights = 1.0
        common = weights / speed or typical     # 0 only of what nobody has measured
        rests = _rests(known, fleet.further, now) if fleet and fleet.further else repeat(0.0)
        return [_expected(load.queued, pace, _certain(total, weight, common), weight, rest, now)
                for (load, pace, total, weight), rest in zip(known, rests, strict=False)]

    def knows(self, node, snapshot, now):
        """Return whether there is a sample of `node`, our own or its node's."""
        return _samples(snapshot.of(node).evidence.get(Pace), now)[1] >= KNOWN

    def explain(self, node, candidates, snapshot, now):
        """Say the expected time and its factors, and what stands before or behind without them."""
        each = self.expected(candidates, snapshot, now)[candidates.index(node)]
        said = [f'expected {each.cost * 1000:.3g} ms = {each.service * 1000:.3g} ms x '
                f'(1 + {each.queue:.3g} queued)'
                + (f' + {each.late * 1000:.3g} ms late' if each.late else '')
                + (f' + {each.rest * 1000:.3g} ms for the rest of it' if each.rest else '')]
        load = snapshot.of(node)
        if each.late:
            said.append(f'has answered nothing for {each.late + each.service:.3g} s')
        if not self.knows(node, snapshot, now):
            said.append('not known: as the others here, or all devices, typically are')
        if each.held:
            said.append(f'behind all others until its {load.queued} reads say more')
        fleet = snapshot.common.get(Pace)
        if fleet is not None and fleet.may_probe and _unasked(candidates, snapshot, now) == node:
            said.append('first now, as nobody has asked it for longest')
        return ', '.join(said)


def _samples(pace, now):
    """Return (total, weight): what says how long one request takes, in seconds, and samples."""
    if pace is None:
        return 0.0, 0.0
    seconds, weight, at, _, _, report, reported_at, _, _, _, _, _ = pace
    total, own = 0.0, 0.0
    if seconds is not None:
        own = weight * faded(at, now)
        total = own * seconds
    if report is None:
        return total, own
    said = report.service_time
    if own < OWN or (seconds < SLOWER * said and said < FASTER * seconds):
        samples = REPORT * faded(reported_at, now)
        return total + samples * said, own + samples
    return total, own


def _certain(total, weight, common):
    """Return the mean of `total` of so much `weight` and `common`, nearer by what may be chance."""
    weight += 1.0
    service = (total + common) / weight
    chance = CHANCE * common / sqrt(weight)
    if service > common + chance:
        return service - chance
    if service < common - chance:
        return service + chance
    return common


def _expected(queued, pace, service, weight, rest, now):
    if pace is None:
        return make(Expected, (False, service * (1 + queued) + rest, service, queued, 0.0, rest))
    _, _, _, progress_at, _, report, reported_at, others, surplus, _, _, _ = pace
    theirs = late = 0.0
    if report is not None:
        news = surplus * exp(min(0.0, reported_at - now) / (REST * service))
        theirs = max(0.0, others * faded(reported_at, now) + news)
    queue = queued + theirs
    if queued and progress_at and now - progress_at > STALLED * service * (1 + theirs):
        late = now - progress_at - service
    return make(Expected, (queued >= UNKNOWN and weight < KNOWN,
                           service * (1 + queue) + late + rest, service, queue, late, rest))


def _rests(known, further, now):
    """Return how many seconds the `further` chunks of a read take each device."""
    measured, weights, speed = [], 0.0, 0.0
    for load, pace, _total, _weight in known:
        total = weight = 0.0
        if pace is not None and pace.further_seconds:
            _, _, _, _, _, _, _, _, _, seconds, weight, at = pace
            weight *= faded(at, now)
            weights += weight
            speed += weight / seconds
            total = weight * seconds
        measured.append((total, weight, 1 + load.streaming))
    if not speed:
        return repeat(0.0)
    common = weights / speed
    return [further * turns * _certain(total, weight, common) for total, weight, turns in measured]


def _unasked(candidates, snapshot, now):
    """Return the candidate that nobody has asked for longest, None if that is not long."""
    oldest, found = now - FleetPace.IDLE, None
    loads = snapshot.loads
    for node in candidates:
        pace = loads[node].evidence.get(Pace) if node in loads else None
        asked_at = pace and pace.asked_at   # None: put first and skipped, or about to be asked
        if asked_at is not None and asked_at < oldest and not loads[node].queued:
            oldest, found = asked_at, node
    return found
