"""The headers in which a storage node and a proxy exchange load reports, limits and refusals.

    X-Backend-Lb-Load: 1 3 0.013845     in an answer: version 1; 3 requests in flight on the device
                                        besides the answered one; 13.845 ms of service per request
    X-Backend-Lb-Limit: 4               in a read: decline it if the device has more than 4 requests
                                        in flight
    X-Backend-Lb-Declined: 1            in the answer 429, with which a node declines a read

Swift's gatekeeper removes X-Backend-* from clients' requests and from the answers to them.
"""
import re

from swift_lb.model import DeviceReport, fast_tuple

LOAD, LIMIT, DECLINED = 'X-Backend-Lb-Load', 'X-Backend-Lb-Limit', 'X-Backend-Lb-Declined'
VERSION = 1

MAX_REQUESTS = 999_999                     # six digits
MIN_TIME, MAX_TIME = 0.000_001, 9_999.0    # seconds, of four digits and six decimals
REPORT = re.compile(rf'{VERSION} ([0-9]{{1,6}}) ([0-9]{{1,4}}\.[0-9]{{6}})')
NUMBER = re.compile(r'[0-9]{1,6}')


def encode(report):
    """Return the header's text for a DeviceReport; numbers that do not fit are clipped."""
    seconds = min(max(report.service_time, MIN_TIME), MAX_TIME)
    return f'{VERSION} {min(report.in_flight, MAX_REQUESTS)} {seconds:.6f}'


def decode(text):
    """Return the DeviceReport of a header's text, None for a text that encode() does not write."""
    fields = REPORT.fullmatch(text) if isinstance(text, str) else None
    if fields is None:
        return None
    in_flight, seconds = int(fields[1]), float(fields[2])
    return fast_tuple(DeviceReport, (in_flight, seconds)) if (
        MIN_TIME <= seconds <= MAX_TIME) else None


def encode_limit(limit):
    """Return the header's text for a limit, a number of requests (0 or more), rounded down."""
    return str(MAX_REQUESTS if limit > MAX_REQUESTS else int(limit))


def decode_limit(text):
    """Return the limit of a header's text, None for a text that encode_limit() does not write."""
    return int(text) if isinstance(text, str) and NUMBER.fullmatch(text) else None
