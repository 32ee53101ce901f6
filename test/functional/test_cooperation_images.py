"""Proxies that keep parts of images together, in labs with decoders: who computes, who keeps."""
import os
import signal
import socket
from contextlib import contextmanager

from support.cluster import SwiftCluster, eventually
from support.dispatch_lab import Proxies
from support.jpeg2000 import encoded, noise

from swift_lb.chains.cache.keys import request_key
from swift_lb.lab.conf import image_socket
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec
from swift_lb.wire.image_job import HEAD, lengths, message_of, pack

COUNT, PARTS = 3, 8
NUMBERS = range(1, COUNT + 1)       # of the proxies


@contextmanager
def images(rule):
    """Yield the Proxies of a lab with COUNT of them, which cooperate by a rule, and /maps/a.j2k."""
    spec = LabSpec(name=f'{rule}-{os.getpid()}', nodes=1, replicas=1, proxies=COUNT, dispatch=True,
                   images=True, image_options={'workers': '1'},
                   proxy_options={'filter:lb_dispatcher:cooperation': rule})
    with Lab.up(spec) as lab:
        cluster, proxies = SwiftCluster(lab), Proxies(lab)
        cluster.put('/maps')
        cluster.put('/maps/a.j2k', encoded(noise('L', 800, 700)), Content_Type='image/j2c')
        assert eventually(lambda: all(
            [backend['state'] for backend in proxies.page(proxy)['backends']] == ['up'] * COUNT
            for proxy in NUMBERS))
        yield proxies


def url(proxies, number):
    """Return path and query of a part of the image."""
    return f'{proxies.base}/maps/a.j2k?lb_region={32 * number},0,300,300'


def part(proxies, number, proxy):
    """Return the body of a part of the image, asked of a proxy."""
    answer = proxies.ask('GET', url(proxies, number), proxy=proxy)
    assert (200, 'D4') == (answer.status, answer.headers['x-lb-point'])
    return answer.body


def ask_decoder(proxies, number, **question):
    """Return the answer, a dict, of the decoder beside a proxy."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(image_socket(proxies.lab.directory, f'image-{number}')))
        connection.sendall(pack(question))
        with connection.makefile('rb') as file:
            return message_of(file.read(lengths(file.read(HEAD.size))[0]))


def computed(proxies):
    """Return {proxy: parts that its decoder has computed}."""
    return {number: ask_decoder(proxies, number, do='status')['done'] for number in NUMBERS}


def test_an_owner_computes_its_parts_once():
    with images('owner') as proxies:
        bodies = [{part(proxies, number, proxy) for proxy in NUMBERS} for number in range(PARTS)]
        assert [1] * PARTS == [len(each) for each in bodies]
        done = computed(proxies)
        assert sum(done.values()) == PARTS
        assert sum(map(bool, done.values())) > 1
        os.kill(proxies.lab.processes['image-1'].pid, signal.SIGKILL)
        proxies.lab.stop_proxy(2)
        for number in range(PARTS):     # some are sent without being decoded
            assert proxies.ask('GET', url(proxies, number), proxy=3).status == 200


def test_with_swala_a_part_is_asked_of_the_proxy_that_keeps_it():
    with images('swala') as proxies:
        bodies = [part(proxies, number, 1) for number in range(PARTS)]
        keys = [request_key(*url(proxies, number).split('?')) for number in range(PARTS)]
        for other in (2, 3):
            assert eventually(lambda other=other: all(
                ask_decoder(proxies, other, do='where', request=key)['nodes'] == ['proxy-1']
                for key in keys))
            assert bodies == [part(proxies, number, other) for number in range(PARTS)]
        assert {1: PARTS, 2: 0, 3: 0} == computed(proxies)
        assert proxies.dispatched(3)['delegated proxy-1'] >= PARTS
        proxies.lab.stop_proxy(1)
        assert bodies == [part(proxies, number, 2) for number in range(PARTS)]
        assert computed(proxies)[2] == PARTS
