"""Sentences about an order of replicas. Pure."""
from swift_lb.console.units import plural
from swift_lb.errors import StatusError

DRAWN = frozenset(('shuffle', 'weighted'))  # policies that order at random each time


def object_path(text):
    """Return /ACCOUNT/CONTAINER/OBJECT of an object as typed; raises StatusError if invalid.

    A leading slash or /v1 is optional. Names are used as typed: nothing is unquoted.
    """
    path = text.removeprefix('/')
    if path.startswith('v1/') and path.count('/') > 2:
        path = path.removeprefix('v1/')
    parts = path.split('/', 2)
    if len(parts) < 3 or not all(parts):
        raise StatusError(f'{text!r} must be ACCOUNT/CONTAINER/OBJECT, e.g. AUTH_test/photos/cat')
    try:
        path.encode()
    except UnicodeEncodeError:
        raise StatusError(f'{text!r} is not UTF-8, as all names in Swift are') from None
    return '/' + path


def tried(order):
    """Return the places of `order` that a read would try: Swift skips error-limited nodes."""
    return [place for place in order.places if not place.error_limited]


def sentence(order, policy):
    """Return a sentence on which node of `order` a read tries first, and why, under the Policy."""
    if not policy.enabled:
        return ('first: whichever Swift itself takes, because lb_enabled is false for storage '
                f'policy {order.storage_policy}')
    left = tried(order)
    if not left:
        return ('first: no replica, because all of them are error-limited; Swift goes on to '
                'handoffs')
    first, skipped = left[0], order.places.index(left[0])
    said = (f'first: {first.node}, this time ({first.why}): each read draws anew'
            if policy.name in DRAWN else f'first: {first.node} because {first.why}')
    return said + (f'; {plural(skipped, "node")} before it {"is" if skipped == 1 else "are"} '
                   'skipped as error-limited' if skipped else '')


def document(url, page):
    """Return the document of `why --json` for a Page: seconds, bytes per second; None is unknown.
    """
    order, policy = page.order, page.policy(page.order.storage_policy)
    return {
        'format': 1, 'url': url, 'pid': page.pid, 'worker': page.worker,
        'path': order.path, 'storage_policy': order.storage_policy, 'partition': order.partition,
        'policy': policy._asdict(),
        'order': [{'node': place.node, 'error_limited': place.error_limited, 'why': place.why}
                  | place.facts._asdict() for place in order.places],
        'sentence': sentence(order, policy),
    }
