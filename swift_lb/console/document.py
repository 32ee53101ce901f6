"""A View as JSON-ready data: seconds, bytes per second, fractions; None is unknown. Pure."""
from swift_lb.console.sorting import in_order

FORMAT = 1  # raised when a reader of the old one would go wrong


def document(view, index, sort):
    """Return the document `top --json` prints."""
    return {
        'format': FORMAT,
        'workers': [{'url': url, 'pid': pid, 'worker': look.newest.page.worker,
                     'age': view.now - look.newest.at}
                    for (url, pid), look in sorted(view.looks.items())],
        'unanswered': dict(view.unanswered),
        'storage_policy': index,
        'policies': [one._asdict() for one in view.policies],
        'devices': [row._asdict() for row in in_order(view.rows, sort)],
    }
