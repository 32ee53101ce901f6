"""A View as JSON-ready data: seconds, bytes per second, fractions; None is unknown. Pure."""
from swift_lb.console.sorting import in_order

FORMAT = 2  # increased when old readers would misread it


def document(view, index, sort):
    """Return the document of `top --json`."""
    return {
        'format': FORMAT,
        'books': [_book(url, look.newest.page) | {'age': view.now - look.newest.at}
                  for (url, _keeper), look in sorted(view.looks.items(), key=_place)],
        'unanswered': dict(view.unanswered),
        'storage_policy': index,
        'policies': [one._asdict() for one in view.policies],
        'devices': [row._asdict() for row in in_order(view.rows, sort)],
    }


def _book(url, page):
    return {'url': url, 'pid': page.pid, 'worker': page.worker, 'workers': page.workers,
            'book': page.book and page.book.path}


def _place(item):
    (url, keeper), _look = item
    return url, str(keeper)
