"""Documents of swift-lb's daemons: their parsing, and sentences on why there is none. Pure."""
from swift_lb.console import checked
from swift_lb.errors import StatusError

KEY_HEADER = 'X-Lb-Key'


def refusal_of(path, program, own):
    """Return a function for console.fetch that puts a refused request in one sentence.

    `path` is that of the document, `program` the daemon that serves it, `own` what to call its URL.
    """
    def refusal(url, status, fault, keyed):
        if fault:
            return f'{url}: {fault}'
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
    """Return page(the JSON document in `body`); raises StatusError if it is another document.

    `known` is the number of the format that this version reads. `url` and `program` are where the
    document came from, and `whose` the noun of it in sentences: `an agent`.
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
