"""What a worker's dispatcher knows and would do, in plain data; nothing is chosen or counted."""
from swift_lb.model import Asked, Forecast
from swift_lb.proxy.dispatch.chooser import stays
from swift_lb.replica_options import target_text


def describe(chooser, served, policy, counts, now):
    """Return what there is to see; `policy` is the policy's name, `counts` of what was done."""
    instruction, view = chooser.instruction(), chooser.view
    forecasts = chooser.forecasts(view.parts, served.in_flight(), now)
    return {
        'policy': policy, 'here': view.here and view.here.name,
        'generation': instruction and instruction.generation, 'fault': chooser.fault,
        'in_flight': served.in_flight(),
        'backends': [describe_backend(backend, state, view.parts.get(backend),
                                      forecasts.get(backend), chooser.ledger, now)
                     for backend, state in view.states.items()],
        'counts': counts}


def describe_backend(backend, state, part, forecast, ledger, now):
    """Return what is known of one."""
    record, load = ledger.of(backend), ledger.load(backend)
    return {
        'name': backend.name, 'address': target_text((backend.ip, backend.port)), 'state': state,
        'load': part and part.load, 'keep': part and part.keep, 'take': part and part.take,
        'expected': forecast and forecast.seconds, 'hop': forecast and forecast.hop,
        'in_flight': load.in_flight, 'choices': load.choices, 'successes': load.successes,
        'errors': load.errors + load.timeouts, 'bytes': record.bytes,
        'ejected_for': max(0.0, record.ejected_until - now)}


def describe_choice(chooser, served, policy, asked, now):
    """Return in what order all would be asked for `asked` now, and why."""
    view = chooser.view
    if chooser.instruction() is None or view.here is None:
        return {'asked': asked._asdict(), 'order': [], 'served_by': None,
                'why': chooser.fault or 'the Instruction does not know this proxy'}
    candidates = [view.here, *chooser.askable(now)]
    order, snapshot = chooser.arranged(candidates, asked, served.in_flight(), now)
    kept = policy.choices and stays(order[0], view.here, snapshot, asked.content)
    if kept:
        order = [view.here, *(backend for backend in order if backend != view.here)]
    return {'asked': asked._asdict(), 'served_by': order[0].name, 'order': [
        {'name': backend.name,
         'why': (f'{asked.content}, stays unless that costs much; '
                 if kept and backend == view.here else '')
         + policy.explain(backend, candidates, snapshot, now),
         'expected': (snapshot.of(backend).evidence.get(Forecast) or (None,))[0]}
        for backend in order]}


def asked_of(query, client, content_class):
    """Return the Asked that a query of the status page means, None where it asks for nothing.

    Where it does not say the `size` of the body, none is sent but with a PUT, of unknown size.
    """
    path, method = query.get('path'), query.get('method', 'GET').upper()
    if not path:
        return None
    size = query.get('size', '')
    size = int(size) if size.isdecimal() else None if method == 'PUT' else 0
    return Asked(method, path, query.get('client', client),
                 content_class(method, path, size, path.partition('?')[2]), size)
