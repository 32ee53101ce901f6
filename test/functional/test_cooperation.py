"""Requests for parts of images in a lab: one proxy answers each, and nothing fails if it dies."""
from collections import defaultdict

import pytest
from support.cluster import eventually
from support.dispatch_lab import many_proxies

PROXIES, PARTS = (1, 2, 3), 12


@pytest.fixture(scope='module')
def proxies():
    """Three proxies, of which the first owns nothing, and the object /c/image."""
    result = many_proxies('cooperation', len(PROXIES))
    try:
        result.put('/c')
        result.put('/c/image', b'pixels')
        yield result
    finally:
        result.lab.down()


def ask(proxies, part, proxy):
    """Ask a proxy for a part of the image, with lb_image in no pipeline: for all of it."""
    answer = proxies.ask('GET', f'{proxies.base}/c/image?lb_region={part},0,9,9', proxy=proxy)
    assert (200, b'pixels') == (answer.status, answer.body)


def served(proxies):
    """Return {part: the proxies that have answered requests for it themselves}."""
    result = defaultdict(set)
    for proxy in PROXIES:
        for line in proxies.lines(proxy, 'lb_region'):
            if line.source != 'LB':
                result[line.path.partition('lb_region%3D')[2].partition('%2C')[0]].add(proxy)
    return result


def test_each_part_has_one_owner_whichever_proxy_is_asked(proxies):
    for proxy in PROXIES:
        for part in range(PARTS):
            ask(proxies, part, proxy)
    assert eventually(lambda: len(served(proxies)) == PARTS)
    owners = served(proxies)
    assert all(len(each) == 1 for each in owners.values()), owners
    assert {2, 3} == set.union(*owners.values())


def test_when_an_owner_is_killed_its_parts_are_answered_all_the_same(proxies):
    proxies.lab.stop_proxy(2)
    for _time in range(3):
        for part in range(PARTS):
            ask(proxies, part, 1)
    assert eventually(lambda: {backend['name']: backend['state'] for backend
                               in proxies.page()['backends']}['proxy-2'] != 'up')
    before = proxies.dispatched()['delegated proxy-3']
    for part in range(PARTS):
        ask(proxies, part, 1)
    assert proxies.dispatched()['delegated proxy-3'] == before + PARTS      # it owns all of them
