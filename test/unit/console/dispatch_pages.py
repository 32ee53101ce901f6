"""Pages of dispatchers as proxy/dispatch/status.py makes them."""


def peer(number, **more):
    """Return the entry of the proxy `p<number>`, which is up and has an expected response time."""
    return {'name': f'p{number}', 'address': f'10.0.0.{number}:8080', 'state': 'up', 'load': 1.5,
            'keep': 1.0, 'take': 0.0, 'expected': 0.004, 'hop': 0.002, 'in_flight': 0,
            'choices': 0, 'successes': 0, 'errors': 0, 'bytes': 0, 'ejected_for': 0.0} | more


def stand(number, why='expected 6 ms', expected=0.004):
    """Return the place of the proxy `p<number>` in an order."""
    return {'name': f'p{number}', 'why': why, 'expected': expected}


def choice(*order, content='small', **more):
    """Return what the page answers to a question."""
    return {'asked': {'method': 'GET', 'path': '/v1/a/c/o', 'client': '127.0.0.1',
                      'content': content, 'size': None},
            'served_by': order[0]['name'] if order else None, 'order': list(order)} | more


def dispatch(chosen, *peers, **more):
    """Return the page of a dispatcher on `p1`, and `more`."""
    return {'policy': 'adaptive', 'here': 'p1', 'generation': 12, 'fault': None, 'in_flight': 0,
            'backends': list(peers), 'counts': {}, 'choice': chosen} | more
