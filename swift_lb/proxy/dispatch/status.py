"""The counters of a worker's dispatcher, and its status page: what it knows of its peers."""
from urllib.parse import unquote

from swift_lb.dispatch.chooser import ALONE, is_kept
from swift_lb.dispatch.cooperation import NONE, OVERLOADED, OWNER, UNANSWERED
from swift_lb.model import Forecast
from swift_lb.proxy.counts import WorkerCounts
from swift_lb.proxy.dispatch.cluster_rules import PLANNED
from swift_lb.proxy.dispatch.facts import image_key_of
from swift_lb.replica_options import target_text

MICRO = 1e6
LOCAL = {why: f'local {why}' for why in ('first', 'light', 'alone', 'peer', 'cluster',
                                          'unanswered', 'host', 'owner', 'overloaded')}
OWNS = {None: 'this part of an image is for', ALONE: 'no proxy is known to be up',
        OWNER: 'this part of an image is for', OVERLOADED: 'too many requests are at',
        UNANSWERED: 'nothing was answered a moment ago by'}
UNKNOWN, HERE, SHUT, NO_CREDIT, REFUSED, NO_ANSWER = REASONS = (
    'unknown', 'here', 'shut', 'no_credit', 'refused', 'no_answer')
STAYS = {(moment, why): f'cluster_stays {moment} {why}' for moment in PLANNED for why in REASONS}


class DispatchCounts(WorkerCounts):
    """The counters of one worker's dispatcher."""

    def local(self, why):
        """Count a request that this proxy serves for the reason `why`; takes only 0.5 us."""
        self.counts[LOCAL[why]] += 1
        self._metrics.count('local', why)

    def stays(self, moment, why):
        """Count a read that could have left this cluster at a moment of PLANNED, and stays.

        `why` is one of REASONS.
        """
        self.counts[STAYS[moment, why]] += 1
        self._metrics.count('cluster_stays', moment, why)

    def count_delegated(self, to, hop, saved):
        """Count an answer of the peer `to`, the seconds of its hop, and the seconds that it saved.

        Seconds are None if unknown. `saved` is negative if this proxy would have answered sooner.
        """
        self.count('delegated', to)
        if hop is not None:
            self.count('hop_us', to, many=round(MICRO * hop))
        if saved is not None:
            self.count('saved_us' if saved >= 0 else 'lost_us', to, many=round(MICRO * abs(saved)))

    def count_saved(self, cluster, seconds):
        """Count how many seconds sooner a read came from `cluster`; negative if it came later."""
        self.count('cluster_saved_us' if seconds >= 0 else 'cluster_lost_us', cluster,
                   many=round(MICRO * abs(seconds)))


def describe(chooser, served, policy, fault, counts, now):
    """Return a dispatcher's status page as a dict: its load, counters, and what it knows of peers.

    `chooser` is the worker's Chooser, `served` its Served, `policy` the policy's name. `fault` is
    the reason why no Instruction is in force, or None; `counts` are the dispatcher's counters.
    """
    instruction, view = chooser.follow(), chooser.view
    forecasts = chooser.forecasts(view.nodes, served.in_flight(), now)
    return {
        'policy': policy, 'here': view.here and view.here.name,
        'generation': instruction and instruction.generation, 'fault': fault,
        'in_flight': served.in_flight(),
        'backends': [describe_backend(backend, state, view.nodes.get(backend),
                                      forecasts.get(backend), chooser.ledger, now)
                     for backend, state in view.states.items()],
        'counts': counts}


def describe_backend(backend, state, node, forecast, ledger, now):
    """Return one backend's entry in the status page, a dict; its times are in seconds.

    `state` and `node` are its state and NodeInstruction (or None) in the Instruction, `forecast`
    its Forecast or None, `ledger` the worker's Ledger.
    """
    record, load = ledger.record(backend), ledger.load(backend)
    return {
        'name': backend.name, 'address': target_text((backend.ip, backend.port)), 'state': state,
        'load': node and node.load, 'keep': node and node.keep, 'take': node and node.take,
        'expected': forecast and forecast.seconds, 'hop': forecast and forecast.hop,
        'in_flight': load.in_flight, 'choices': load.choices, 'successes': load.successes,
        'errors': load.errors + load.timeouts, 'bytes': record.bytes,
        'ejected_for': max(0.0, record.ejected_until - now)}


def describe_choice(chooser, served, policy, cooperation, fault, facts, now):
    """Return a dict of which proxy would serve a request with these RequestFacts, and why.

    It also has the order, by `policy` or the Cooperation, in which proxies would be tried.
    `chooser` is the worker's Chooser, `served` its Served; `fault` says why there is no valid
    Instruction, or is None.
    """
    view = chooser.view
    if chooser.follow() is None or view.here is None:
        return {'asked': facts._asdict(), 'order': [], 'served_by': None,
                'why': fault or 'the Instruction does not name this proxy'}
    path, _mark, query = facts.path.partition('?')
    image = image_key_of(facts.method, unquote(path, encoding='latin-1'), query)
    if image is not None and cooperation.rule != NONE:
        return {'asked': facts._asdict(),
                **describe_owner(*cooperation.home(image, now), view.here)}
    candidates = [view.here, *chooser.askable(now)]
    order, snapshot = chooser.ranked(candidates, facts, served.in_flight(), now)
    kept = policy.choices and is_kept(order[0], view.here, snapshot, facts.content)
    if kept:
        order = [view.here, *(backend for backend in order if backend != view.here)]
    return {'asked': facts._asdict(), 'served_by': order[0].name, 'order': [
        {'name': backend.name,
         'why': (f'{facts.content}, stays unless that costs much; '
                 if kept and backend == view.here else '')
         + policy.explain(backend, candidates, snapshot, now),
         'expected': (snapshot.of(backend).evidence.get(Forecast) or (None,))[0]}
        for backend in order]}


def describe_owner(home, why, here):
    """Return what describe_choice() tells of a request for a part of an image.

    `home` and `why` are the result of Cooperation.home(), `here` is this proxy.
    """
    order = [here] if why is not None or home is None else [home, here]
    first = OWNS[why] if home is None else f'{OWNS[why]} {home.name}'
    return {'served_by': order[0].name, 'order': [
        {'name': backend.name, 'why': '' if place else first, 'expected': None}
        for place, backend in enumerate(order)]}
