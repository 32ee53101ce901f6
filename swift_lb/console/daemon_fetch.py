"""Documents of our own daemons: how each is had, and what is said where there is none. Pure."""
from swift_lb.console import checked
from swift_lb.errors import StatusError

KEY_HEADER = 'X-Lb-Key'


def refusal_of(path, program, own):
    """Return fetch's `refusal` for the document at `path` of `program`; `own` is its URL's name."""
    def refusal(url, status, said, keyed):
        if said:
            return f'{url}: {said}'
        if status in (401, 403):
            return f'{url} does not answer us ({status}): ' + (
                'its key is another' if keyed else
                'we are not on its loopback interface and need its key (--key-file)')
        if status == 404:
            return f'{url} has no {path} (404): it is not a {program}'
        if 300 <= status < 400:
            return f"{url} redirects ({status}), which is not followed: give {own}"
        return f'{url} answers {status} to a request for {path}'
    return refusal


def parsed(body, url, program, whose, known, page):
    """Return page(the JSON in `body`); StatusError if it is no document of the format `known`.

    `whose` is what has such documents: an agent.
    """
    raw = checked.read(body, url, program)
    if not isinstance(raw, dict) or 'format' not in raw:
        raise StatusError(f'{url} answers with JSON that is not of {whose}')
    if raw['format'] != known:
        kind = whose.partition(' ')[2]
        raise StatusError(f'{url} has {whose} whose documents are of format {raw["format"]!r}, '
                          f'and this swift-lb reads format {known}: use the version the {kind} is '
                          'of')
    return checked.made(page, raw, url, f'{whose} whose document has a fault in it')
