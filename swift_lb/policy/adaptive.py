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
from math import exp, sqrt
from typing import NamedTuple

from swift_lb.load.pace import FASTER, NEVER, SLOWER, TAU, FleetPace, Pace
from swift_lb.load.pace import UNKNOWN as UNKNOWN_PACE
from swift_lb.load.tail_time import ABSURD

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
    streaming: int    # reads that have their first byte
    asked_at: float   # when it was last asked; NEVER if it is being asked, too


class Adaptive:
    """Order by the expected time to the last byte of a read of the mean size."""

    kinds = (Pace,)

    def __init__(self, options):
        self._last = None, 0.0, ()      # snapshot, now, the places of the last order

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, the one expected to answer first leading."""
        draw, fleet, places, held = rng.random, snapshot.common.get(Pace), [], []
        expected = self.reckon(candidates, snapshot, now)
        for node, each in zip(candidates, expected):    # noqa: B905 `strict` takes a third as long
            (held if each[0] else places).append(
                (each[1] * (1.0 + NEAR * draw()), draw(), node, each))
        places.sort()       # faster than with `held` in front: of tuples that begin with a float
        if held:
            places += sorted(held)
        if fleet is not None and fleet.may_probe:
            unasked = _unasked(places, now)
            if unasked is not None:
                places.remove(unasked)
                places.insert(0, unasked)
        self._last = snapshot, now, places
        return [place[2] for place in places]

    def limits(self, order, snapshot, now):
        """Return {node: the most requests it may have and take this read}.

        None for the last, which is to take any, and none where no node reports: without the filter
        nobody declines.
        """
        fleet = snapshot.common.get(Pace)
        if fleet is None or not 0.0 < fleet.reported_at > now - SILENT:
            return {}
        of, at, places = self._last
        if of is snapshot and at == now and [place[2] for place in places] == order:
            expected = [place[3] for place in places]       # it has just been asked, for the order
        else:
            expected = self.reckon(order, snapshot, now)
        limits, least = {}, expected[-1][1]
        for place in range(len(order) - 2, -1, -1):
            _held, cost, service, _queue, late, rest, streaming, _asked_at = expected[place]
            most = (PATIENCE * least - late - rest) / service - 1.0
            limits[order[place]] = streaming + (most if most > 1.0 else 1.0)
            if cost < least:
                least = cost
        return limits

    def expected(self, candidates, snapshot, now):
        """Return what is Expected of each of the candidates."""
        return [Expected(*each) for each in self.reckon(candidates, snapshot, now)]

    def reckon(self, candidates, snapshot, now):
        """Return the fields of what is Expected of each of the candidates."""
        fleet = snapshot.common.get(Pace)
        typical = (fleet and fleet.typical) or NOTHING_KNOWN
        further = fleet.further if fleet else 0.0
        seen = snapshot.evidence_of(Pace, candidates)
        try:
            return _reckon(seen, typical, further, now)
        except (ArithmeticError, ValueError):   # of words that nobody wrote, in shared memory
            unknown = [(queued, streaming, None) for queued, streaming, _pace in seen]
            return _reckon(unknown, typical, 0.0, now)

    def knows(self, node, snapshot, now):
        """Return whether there is a sample of `node`, our own or its node's."""
        seen = snapshot.evidence_of(Pace, (node,))
        ((_queued, _streaming, _total, weight, *_rest),), *_common = _compare(
            seen, NOTHING_KNOWN, 0.0, now)
        return weight >= KNOWN

    def explain(self, node, candidates, snapshot, now):
        """Say the expected time and its factors, and what stands before or behind without them."""
        expected = self.expected(candidates, snapshot, now)
        each = expected[candidates.index(node)]
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
        if fleet is not None and fleet.may_probe and each.asked_at < now - FleetPace.IDLE and (
                each.asked_at == min(one.asked_at for one in expected)):
            said.append('first now, as nobody has asked it for longest')
        return ', '.join(said)


def _reckon(seen, typical, further, now):
    """Return the fields of what is Expected of each that is `seen`: (queued, streaming, pace).

    Of all that is done for a read this takes longest: so few calls, and nothing kept in objects.
    """
    known, common, common_chunk = _compare(seen, typical, further, now)
    spread, expected = CHANCE * common, []
    for (queued, streaming, total, weight, progress_at, asked_at, service_time, reported_at,
         others, surplus, chunk, chunk_weight) in known:
        samples = weight + 1.0      # what follows is _certain(total, weight, common)
        service, chance = (total + common) / samples, spread / sqrt(samples)
        if service > common + chance:
            service -= chance
        elif service < common - chance:
            service += chance
        else:
            service = common
        theirs = late = rest = 0.0
        if common_chunk:
            rest = further * (1 + streaming) * _certain(
                chunk_weight * chunk, chunk_weight, common_chunk)
        if 0.0 < service_time < ABSURD:
            if surplus:
                ago = reported_at - now if reported_at < now else 0.0
                others += surplus * exp(ago / (REST * service))
            if others > 0.0:
                theirs = others
        queue = queued + theirs
        if queued:
            if progress_at and now - progress_at > STALLED * service * (1 + theirs):
                late = now - progress_at - service
            asked_at = NEVER
        expected.append((queued >= UNKNOWN and weight < KNOWN,
                         service * (1 + queue) + late + rest, service, queue, late, rest,
                         streaming, asked_at))
    return expected


def _compare(seen, typical, further, now):
    """Return (facts of each as they weigh now, common seconds, common seconds of a chunk).

    Where the words are shared, other processes can write any value: one that would make a device
    look fast, as none that was measured can, counts as unknown. NaN fails every comparison.
    """
    known, weights, speed, chunk_weights, chunk_speed = [], 0.0, 0.0, 0.0, 0.0
    for queued, streaming, pace in seen:
        (seconds, weight, at, progress_at, asked_at, service_time, reported_at, others, surplus,
         chunk, chunk_weight, chunk_at) = pace or UNKNOWN_PACE
        if at < now:
            weight *= exp((at - now) / TAU)
        total = weight * seconds
        if not (weight > 0.0 and 0.0 < total < ABSURD):
            total = weight = 0.0
        if 0.0 < service_time < ABSURD:
            heard = exp((reported_at - now) / TAU) if reported_at < now else 1.0
            others *= heard
            if weight < OWN or (
                    seconds < SLOWER * service_time and service_time < FASTER * seconds):
                samples = REPORT * heard
                total += samples * service_time
                weight += samples
        if total:
            weights += weight
            speed += weight * weight / total
        if further:
            if 0.0 < chunk < ABSURD and 0.0 < chunk_weight < ABSURD:
                if chunk_at < now:
                    chunk_weight *= exp((chunk_at - now) / TAU)
                chunk_weights += chunk_weight
                chunk_speed += chunk_weight / chunk
            else:
                chunk = chunk_weight = 0.0
        known.append((queued, streaming, total, weight, progress_at, asked_at, service_time,
                      reported_at, others, surplus, chunk, chunk_weight))
    if weights < 1.0:
        speed += (1.0 - weights) / typical
        weights = 1.0
    common = weights / speed or typical     # 0 only of what nobody has measured
    return known, common, chunk_weights / chunk_speed if chunk_speed else 0.0


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


def _unasked(places, now):
    """Return the place that nobody has asked for longest, None if that is not long."""
    oldest, unasked = now - FleetPace.IDLE, None
    for place in places:
        asked_at = place[3][7]
        if asked_at < oldest:
            oldest, unasked = asked_at, place
    return unasked
