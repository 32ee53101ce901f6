"""adaptive: the device with the least expected time to the last byte of this read.

    cost     = service x (1 + queue) + late + further x chunk x (1 + streams)

    queue    = ours + theirs
    theirs   = max(0, others x e^(-age / TAU) + surplus x e^(-age / (REST x service)))
    service  = mean of  seconds (weight: samples), report (weight: REPORT x e^(-age / TAU)) and
               common (weight: 1), shrunk toward common by CHANCE standard errors
    common   = harmonic mean of the same seconds and reports of all candidates, each with its
               weight, and of typical (weight: 1 less those weights, at least 0)
    error    = common / sqrt(samples + REPORT x e^(-age / TAU) + 1)

    chunk    = mean of  further_seconds (weight: its samples) and the mean further_seconds of the
               candidates (weight: 1), shrunk toward the latter as service is

    ours       reads of this host on the device without a first byte, now
    others     mean number of other proxies' requests on the device in its node's reports;
               surplus: how many more there were in the last report, which is `age` seconds old
    seconds    the device's time for one request as this host measures it; samples: the number of
               samples on which it still rests; report: the time that its node reports; typical: the
               median of all devices (load/pace.py)
    common     the time typical of the fast candidates, or of all devices where no candidate is
               known: a storage policy of fast disks is not compared with one of slow disks
    further    mean number of chunks after the first one, of all reads: the size of this read is
               unknown until it is answered
    chunk      the device's seconds for one of these chunks: a disk or a network that is slow only
               after the first chunk shows only here. further_seconds: the same, as measured
    streams    reads of this host on the device that have their first byte, and for whose next chunk
               the proxy waits: they take turns with what follows the first chunk of this read
    error      the standard error of a mean of that many exponential times

So a difference that may be chance counts as none, near-ties are broken at random, the cost of a
slow disk grows with the samples that show it, and a device without fresh samples becomes as good as
any.

Three rules for what the mean of the answers does not show:

    a device that owes first bytes and has given none for owed > STALLED x service x (1 + theirs)
               has late = owed - service, else late is 0: an answer that is so late may well take as
               long again, but the reads behind it need not
    a device with less than KNOWN samples, from this host or its node, and UNKNOWN_QUEUED reads of
               this host queued comes last: two reads find out how fast it is, the others wait
    a device to which no read was sent for IDLE seconds comes first, if the budget of probes (one
               in 200 orders) allows: this read finds out whether the device is quick again

    TAU = 10 s        after which samples and reports count 1/e as much (load/pace.py)
    IDLE = 2 s        (load/pace.py)
    CHANCE = 2        standard errors: chance exceeds them 1 time in 20
    REPORT = 19       samples: the node's own moving average has a weight of 0.1
    OWN = 2           samples of this host, from which on `seconds` and a report are compared. If
                      they differ as after a change (load/pace.py), the report is from before it,
                      and is left out: the node's average takes thirty requests to follow, and an
                      avoided device gets one a second
    REST = 16         service times, after which a queue that all proxies see has settled; between 8
                      and 64 nothing changes (swift-lb sim, paper-128)
    STALLED = 3       times the expected time: 1 in 20 of exponential times of service is longer
    UNKNOWN_QUEUED = 2  reads
    KNOWN = 1         sample
    NEAR = 5 %        of a cost: costs that differ by less are ordered partly at random

`limits` is for many proxies. What a host knows of a device that others use too is old when its read
arrives. So the read carries a limit: a device with more requests than

    limit    = (WAIT_FACTOR x least cost of the devices behind it - late - rest) / service - 1
    rest     = further x chunk x (1 + streams)

(at least 1), not counting those of `streams`, declines at once, and the proxy asks the next device;
the last device never declines. If no node has reported for REPORT_MEMORY, none has the filter that
declines. Sender-initiated thresholds: Eager, Lazowska and Zahorjan, "Adaptive load sharing in
homogeneous distributed systems", IEEE TSE 1986, where a threshold and a few tries do nearly as well
as knowing every queue.

    WAIT_FACTOR = 1.25   times the least cost of the next devices. With 1, each read that gains by
                      going on does so: at 80 % load one in two is declined once. With 1.25 it is
                      three in ten, and the p99 is a tenth greater (swift-lb sim, paper-128)
    REPORT_MEMORY = 60 s  a busy host gets hundreds of reports a second, a quiet one needs no limits
"""
from math import exp, sqrt
from typing import NamedTuple

from swift_lb.load.pace import FASTER, NEVER, SLOWER, TAU, UNKNOWN_PACE, FleetPace, Pace
from swift_lb.load.tail_time import ABSURD
from swift_lb.policy.duration import milliseconds

CHANCE = 2.0
REPORT = 19.0
REST = 16.0
STALLED = 3.0
OWN = 2.0
UNKNOWN_QUEUED = 2
KNOWN = 1.0
NEAR = 0.05
WAIT_FACTOR = 1.25
REPORT_MEMORY = 60.0
NOTHING_KNOWN = 1.0    # seconds: any number, where all candidates have the same


class Expected(NamedTuple):
    """The expected time of a read on one device, and the terms of which it consists."""

    held: bool        # whether it comes last, until its first reads are answered
    cost: float       # seconds to the last byte of a read of the mean size
    service: float    # seconds of one request
    queue: float      # requests before this one
    late: float       # seconds for which it has owed an answer, less service; 0 if not stalled
    rest: float       # seconds from the first byte to the last
    streaming: int    # reads that have their first byte
    asked_at: float   # instant of the last read sent; NEVER before the first, and while one waits


class Adaptive:
    """Order by the expected time to the last byte of a read of the mean size."""

    kinds = (Pace,)

    def __init__(self, options):
        self._last = None, 0.0, ()      # snapshot, now and places of the last order

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost, lowest first, but a device to be probed before all others.

        A device of unknown speed that UNKNOWN_QUEUED reads or more wait for comes last.
        """
        draw, fleet, places, held = rng.random, snapshot.common.get(Pace), [], []
        expected = self.estimates(candidates, snapshot, now)
        for node, each in zip(candidates, expected):    # noqa: B905 `strict` takes a third as long
            (held if each[0] else places).append(
                (each[1] * (1.0 + NEAR * draw()), draw(), node, each))
        places.sort()       # tuples that begin with a float sort faster than with `held` in front
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
        """Return {node: the greatest number of requests with which it may still accept this read}.

        The last node of `order` has no limit. It is {} where no node reports: without the filter
        that reports, a node never declines.
        """
        fleet = snapshot.common.get(Pace)
        if fleet is None or not 0.0 < fleet.reported_at > now - REPORT_MEMORY:
            return {}
        ordered, ordered_at, places = self._last
        if ordered is snapshot and ordered_at == now and [place[2] for place in places] == order:
            expected = [place[3] for place in places]       # computed for this order just before
        else:
            expected = self.estimates(order, snapshot, now)
        limits, least = {}, expected[-1][1]
        for place in range(len(order) - 2, -1, -1):
            _held, cost, service, _queue, late, rest, streaming, _asked_at = expected[place]
            limit = (WAIT_FACTOR * least - late - rest) / service - 1.0
            limits[order[place]] = streaming + (limit if limit > 1.0 else 1.0)
            if cost < least:
                least = cost
        return limits

    def expected(self, candidates, snapshot, now):
        """Return for each candidate an Expected: the seconds of a read on it, and their terms."""
        return [Expected(*each) for each in self.estimates(candidates, snapshot, now)]

    def estimates(self, candidates, snapshot, now):
        """Return for each candidate a plain tuple with the fields of Expected, in less time."""
        fleet = snapshot.common.get(Pace)
        typical = (fleet and fleet.typical) or NOTHING_KNOWN
        further = fleet.further if fleet else 0.0
        evidence = snapshot.evidence_of(Pace, candidates)
        try:
            return _estimates(evidence, typical, further, now)
        except (ArithmeticError, ValueError):   # of damaged words in shared memory
            unknown = [(queued, streaming, None) for queued, streaming, _pace in evidence]
            return _estimates(unknown, typical, 0.0, now)

    def knows(self, node, snapshot, now):
        """Return whether a sample of `node` is known, this host's own or reported by the node."""
        evidence = snapshot.evidence_of(Pace, (node,))
        ((_queued, _streaming, _total, weight, *_rest),), *_common = _compare(
            evidence, NOTHING_KNOWN, 0.0, now)
        return weight >= KNOWN

    def explain(self, node, candidates, snapshot, now):
        """Return, as text, the expected time of `node`, its terms, and the rules that move it."""
        expected = self.expected(candidates, snapshot, now)
        each = expected[candidates.index(node)]
        reasons = [f'expected {milliseconds(each.cost)} = {milliseconds(each.service)} x '
                   f'(1 + {each.queue:.3g} queued)'
                   + (f' + {milliseconds(each.late)} late' if each.late else '')
                   + (f' + {milliseconds(each.rest)} for the body' if each.rest else '')]
        if each.late:
            reasons.append(f'has answered nothing for {each.late + each.service:.3g} s')
        if not self.knows(node, snapshot, now):
            reasons.append('no recent sample: estimated from the other candidates or all devices')
        if each.held:
            reasons.append(f'last until one of its {snapshot.of(node).queued} reads is answered')
        fleet = snapshot.common.get(Pace)
        if fleet is not None and fleet.may_probe and each.asked_at < now - FleetPace.IDLE and (
                each.asked_at == min(one.asked_at for one in expected)):
            reasons.append('first now: the longest unasked')
        return ', '.join(reasons)


def _estimates(evidence, typical, further, now):
    """Return a tuple with the fields of Expected for each device in `evidence`.

    Each of `evidence` is (reads queued, reads streaming, DevicePace or None). `typical` is the
    typical seconds of a request, `further` the mean number of a read's chunks after the first.
    An order spends most of its time here, so this makes few calls and no other objects.
    """
    known, common, common_chunk = _compare(evidence, typical, further, now)
    spread, expected = CHANCE * common, []
    for (queued, streaming, total, weight, progress_at, asked_at, service_time, reported_at,
         others, surplus, chunk, chunk_weight) in known:
        samples = weight + 1.0      # shrink_toward_common(total, weight, common) without a call
        service, chance = (total + common) / samples, spread / sqrt(samples)
        if service > common + chance:
            service -= chance
        elif service < common - chance:
            service += chance
        else:
            service = common
        theirs = late = rest = 0.0
        if common_chunk:
            rest = further * (1 + streaming) * shrink_toward_common(
                chunk_weight * chunk, chunk_weight, common_chunk)
        if 0.0 < service_time < ABSURD:
            if surplus:
                minus_age = reported_at - now if reported_at < now else 0.0
                others += surplus * exp(minus_age / (REST * service))
            if others > 0.0:
                theirs = others
        queue = queued + theirs
        if queued:
            if progress_at and now - progress_at > STALLED * service * (1 + theirs):
                late = now - progress_at - service
            asked_at = NEVER
        expected.append((queued >= UNKNOWN_QUEUED and weight < KNOWN,
                         service * (1 + queue) + late + rest, service, queue, late, rest,
                         streaming, asked_at))
    return expected


def _compare(evidence, typical, further, now):
    """Return ([a tuple for each device], seconds of a request, seconds of a chunk after the first).

    The arguments are those of _estimates(), which unpacks the tuples; the times are means over all.
    These come from shared memory, where other processes can write any value: a number that would
    make a device look faster than any measured one counts as unknown. NaN fails comparisons.
    """
    known, weights, speed, chunk_weights, chunk_speed = [], 0.0, 0.0, 0.0, 0.0
    for queued, streaming, pace in evidence:
        (seconds, weight, at, progress_at, asked_at, service_time, reported_at, others, surplus,
         chunk, chunk_weight, chunk_at) = pace or UNKNOWN_PACE
        if at < now:
            weight *= exp((at - now) / TAU)
        total = weight * seconds
        if not (weight > 0.0 and 0.0 < total < ABSURD):
            total = weight = 0.0
        if 0.0 < service_time < ABSURD:
            fresh = exp((reported_at - now) / TAU) if reported_at < now else 1.0
            others *= fresh
            if weight < OWN or (
                    seconds < SLOWER * service_time and service_time < FASTER * seconds):
                samples = REPORT * fresh
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
    common = weights / speed or typical     # 0 only of damaged words
    return known, common, chunk_weights / chunk_speed if chunk_speed else 0.0


def shrink_toward_common(total, weight, common):
    """Return the mean of a device's samples, moved towards `common` by as much as may be chance.

    The samples are `weight` in number and add up to `total`; `common` counts as one more. The mean
    moves by CHANCE standard errors, but not beyond `common`.
    """
    weight += 1.0
    mean = (total + common) / weight
    chance = CHANCE * common / sqrt(weight)
    if mean > common + chance:
        return mean - chance
    if mean < common - chance:
        return mean + chance
    return common


def _unasked(places, now):
    """Return the one of `places` whose device has been sent no read for the longest time.

    Each of `places` is (cost, draw, Node, fields of Expected). Returns None if that time is not
    over IDLE (2) seconds. A device for which a read waits does not count.
    """
    oldest, unasked = now - FleetPace.IDLE, None
    for place in places:
        asked_at = place[3][7]
        if asked_at < oldest:
            oldest, unasked = asked_at, place
    return unasked
