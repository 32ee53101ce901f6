"""Proxies that keep parts of images together, in labs with decoders: who computes, who keeps."""
import os
from contextlib import contextmanager

from support.cluster import eventually
from support.image_lab import ImageLab
from support.jpeg2000 import encoded, noise

from swift_lb.chains.cache.keys import request_key
from swift_lb.lab.spec import LabSpec

COUNT, PARTS = 3, 8
NUMBERS = range(1, COUNT + 1)       # of the proxies


@contextmanager
def images(rule):
    """Yield an ImageLab with COUNT proxies, which cooperate by a rule, and /maps/a.j2k."""
    spec = LabSpec(name=f'{rule}-{os.getpid()}', nodes=1, replicas=1, proxies=COUNT, dispatch=True,
                   images=True, image_options={'workers': '1'},
                   proxy_options={'filter:lb_dispatcher:cooperation': rule})
    with ImageLab.up(spec, {'a.j2k': encoded(noise('L', 800, 700))}) as proxies:
        yield proxies


def url(proxies, number):
    """Return path and query of a part of the image."""
    return f'{proxies.base}/maps/a.j2k?lb_region={32 * number},0,300,300'


def part(proxies, number, proxy):
    """Return the body of a part of the image, asked of a proxy."""
    answer = proxies.ask('GET', url(proxies, number), proxy=proxy)
    assert (200, 'D4') == (answer.status, answer.headers['x-lb-point'])
    return answer.body


def test_an_owner_computes_its_parts_once():
    with images('owner') as proxies:
        bodies = [{part(proxies, number, proxy) for proxy in NUMBERS} for number in range(PARTS)]
        assert [1] * PARTS == [len(each) for each in bodies]
        done = proxies.computed()
        assert sum(done.values()) == PARTS
        assert sum(map(bool, done.values())) > 1
        proxies.lab.stop_decoder(1)
        proxies.lab.stop_proxy(2)
        assert [1] * PARTS == [len({body, part(proxies, number, 3)})
                               for number, (body,) in enumerate(bodies)]
        assert eventually(lambda: ['D4'] * PARTS == [
            proxies.ask('GET', url(proxies, number), proxy=1).headers['x-lb-point']
            for number in range(PARTS)])


def test_with_swala_a_part_is_asked_of_the_proxy_that_keeps_it():
    with images('swala') as proxies:
        bodies = [part(proxies, number, 1) for number in range(PARTS)]
        keys = [request_key(*url(proxies, number).split('?')) for number in range(PARTS)]
        for other in (2, 3):
            assert eventually(lambda other=other: all(
                proxies.ask_decoder(other, do='where', request=key)['nodes'] == ['proxy-1']
                for key in keys))
            assert bodies == [part(proxies, number, other) for number in range(PARTS)]
        assert {1: PARTS, 2: 0, 3: 0} == proxies.computed()
        assert proxies.dispatched(3)['delegated proxy-1'] >= PARTS
        proxies.lab.stop_proxy(1)
        assert bodies == [part(proxies, number, 2) for number in range(PARTS)]
        assert proxies.computed()[2] == PARTS
