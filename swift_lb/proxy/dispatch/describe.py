"""The status page of a worker's dispatcher, as plain data; nothing is chosen or counted for it."""
from swift_lb.dispatch.chooser import is_kept
from swift_lb.model import Forecast
from swift_lb.replica_options import target_text


def describe(chooser, served, policy, fault, counts, now):
    """Return the page; `policy` is the policy's name, `counts` of what the dispatcher has done.

    `fault` is why there is no Instruction, or None.
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
    """Return what is known of one backend; `node` is its NodeInstruction or None."""
    record, load = ledger.record(backend), ledger.load(backend)
    return {
        'name': backend.name, 'address': target_text((backend.ip, backend.port)), 'state': state,
        'load': node and node.load, 'keep': node and node.keep, 'take': node and node.take,
        'expected': forecast and forecast.seconds, 'hop': forecast and forecast.hop,
        'in_flight': load.in_flight, 'choices': load.choices, 'successes': load.successes,
        'errors': load.errors + load.timeouts, 'bytes': record.bytes,
        'ejected_for': max(0.0, record.ejected_until - now)}


def describe_choice(chooser, served, policy, fault, facts, now):
    """Return the order in which proxies would be asked for a request of these facts, and why."""
    view = chooser.view
    if chooser.follow() is None or view.here is None:
        return {'asked': facts._asdict(), 'order': [], 'served_by': None,
                'why': fault or 'the Instruction does not name this proxy'}
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
