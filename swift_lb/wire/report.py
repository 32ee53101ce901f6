"""What a storage node and a proxy tell each other in headers: a report, a limit, a refusal.

    X-Backend-Lb-Load: 1 3 0.013845     an answer's: version 1, 3 requests in flight on the device
                                        beside the answered one, 13.845 ms of service a request
    X-Backend-Lb-Limit: 4               a read's: not, if the device has more than 4 in flight
    X-Backend-Lb-Declined: 1            of the 429 that is then the answer

Swift's gatekeeper takes X-Backend-* out of what clients send and of what they are sent.
"""
import re

from swift_lb.model import DeviceReport, fast_tuple

LOAD, LIMIT, DECLINED = 'X-Backend-Lb-Load', 'X-Backend-Lb-Limit', 'X-Backend-Lb-Declined'
VERSION = 1

MOST_REQUESTS = 999_999            # six digits
LEAST, MOST = 0.000_001, 9_999.0   # seconds: what six decimals and four digits can say
REPORT = re.compile(rf'{VERSION} ([0-9]{{1,6}}) ([0-9]{{1,4}}\.[0-9]{{6}})')
NUMBER = re.compile(r'[0-9]{1,6}')


def encode(report):
    """Return the header's text for a DeviceReport; what is too much for it is the most it says."""
    seconds = min(max(report.service_time, LEAST), MOST)
    return f'{VERSION} {min(report.in_flight, MOST_REQUESTS)} {seconds:.6f}'


def decode(text):
    """Return the DeviceReport of a header's text, None for anything but what encode() writes."""
    said = REPORT.fullmatch(text) if isinstance(text, str) else None
    if said is None:
        return None
    in_flight, service_time = said.groups()
    seconds = float(service_time)
    return fast_tuple(DeviceReport, (int(in_flight), seconds)) if LEAST <= seconds <= MOST else None


def encode_limit(limit):
    """Return the header's text for a limit, 0 or more requests, not necessarily whole."""
    return str(MOST_REQUESTS if limit > MOST_REQUESTS else int(limit))


def decode_limit(text):
    """Return the limit of a header's text, None for anything but what encode_limit() writes."""
    return int(text) if isinstance(text, str) and NUMBER.fullmatch(text) else None
