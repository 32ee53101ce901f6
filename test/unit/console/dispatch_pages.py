"""Status pages of dispatchers, as dicts like those of proxy/dispatch/status.py."""


def peer(number, **more):
    """Return the page's entry of the peer `p<number>`, which is up; `more` replaces fields."""
    return {'name': f'p{number}', 'address': f'10.0.0.{number}:8080', 'state': 'up', 'load': 1.5,
            'keep': 1.0, 'take': 0.0, 'expected': 0.004, 'hop': 0.002, 'in_flight': 0,
            'choices': 0, 'successes': 0, 'errors': 0, 'bytes': 0, 'ejected_for': 0.0} | more


def stand(number, why='expected 6 ms', expected=0.004):
    """Return the entry of proxy `p<number>` in an order of proxies; `expected` is seconds."""
    return {'name': f'p{number}', 'why': why, 'expected': expected}


def choice(*order, content='small', **more):
    """Return the page's answer for a GET: who serves it; `order` has entries of stand()."""
    return {'asked': {'method': 'GET', 'path': '/v1/a/c/o', 'client': '127.0.0.1',
                      'content': content, 'size': None},
            'served_by': order[0]['name'] if order else None, 'order': list(order)} | more


def dispatch(chosen, *peers, **more):
    """Return the page of a dispatcher on `p1`: `chosen` is a choice(), `peers` are peer()s."""
    return {'policy': 'adaptive', 'here': 'p1', 'generation': 12, 'fault': None, 'in_flight': 0,
            'backends': list(peers), 'counts': {}, 'choice': chosen} | more
