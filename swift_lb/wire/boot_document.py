"""JSON documents in files of a host, which hold until its next boot. Pure.

    {"format": a number, "boot": the host's boot, ...}

Their instants are of the monotonic clock that all processes of a host share until then.
"""
import json


def decode(data, boot, known, make, otherwise):
    """Return (make(document), None), or (None, what is wrong with a file's `data`).

    `known` is the format that this version reads, `boot` the id of the host's boot. What is wrong
    is the end of a sentence that begins with the file's name; `otherwise` is that end for a
    document which is damaged, or for which `make` raises.
    """
    try:
        raw = json.loads(data)
        if raw['format'] != known:
            return None, f'has format {raw["format"]!r}, and this swift-lb reads {known}'
        if raw['boot'] != boot:
            return None, 'is from before this host was booted'
        return make(raw), None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None, otherwise
