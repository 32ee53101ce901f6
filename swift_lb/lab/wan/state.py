"""The Sites and the relay of the running wide-area network, in .wan/state.json beside the labs."""
import json
from dataclasses import asdict

from swift_lb.errors import LabError
from swift_lb.lab import place
from swift_lb.lab.process import Process
from swift_lb.lab.state import write_json
from swift_lb.lab.wan.link import WanLink
from swift_lb.lab.wan.sites import Sites

PLACE, FILE, SOCKET = '.wan', 'state.json', 'relay'


def directory():
    """Return the directory of the wide-area network; there is one for all labs of a user."""
    return place.root() / PLACE


def document_of(sites):
    """Return Sites as JSON-ready data."""
    return {'names': sites.names,
            'links': [[*pair, asdict(link)] for pair, link in sites.links.items()]}


def sites_of(document):
    """Return the Sites of what document_of() returned."""
    return Sites(tuple(document['names']), {
        (first, second): WanLink(**link) for first, second, link in document['links']})


def write(sites, relay=None):
    """Store the Sites, and the Process of their relay if it runs."""
    write_json(directory() / FILE, {'sites': document_of(sites),
                                    'relay': relay and relay._asdict()})


def read():
    """Return (Sites, Process of the relay or None), None without a wide-area network."""
    try:
        document = json.loads((directory() / FILE).read_text())
        relay = document['relay']
        return sites_of(document['sites']), relay and Process(**relay)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as err:
        raise LabError(f'{directory() / FILE} is not what `lab wan up` writes ({err})') from None
