"""What two servers may read in two ways: the peer sees just what this proxy does, or nothing."""
import re
from collections import Counter

import pytest
from support.dispatch_corpus import HIDDEN, SEEN, corpus, hidden_in
from support.dispatch_lab import DELEGATES, SERVES, two_proxies

STATUS, ETAG = re.compile(rb'HTTP/1\.[01] (\d\d\d)'), re.compile(rb'\r\nEtag: (\S+)')
METHODS = ('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS')
NAMES = [*corpus(None), *(f'in the body of {method}' for method in METHODS)]
# Of what Swift's proxy refuses here, and Swift's proxy takes once its coding is written as usual.
KINDER = {'Chunked': [201, 201]}


class Sent:
    """What came of the whole corpus, once by way of a peer, and once served here."""

    def __init__(self, proxies):
        self.proxies, self.statuses, self.etags, self.lines = proxies, {}, {}, {}
        cases = [*corpus(proxies.token).values(),
                 *(hidden_in(method, proxies.token) for method in METHODS)]
        for number, made in enumerate(cases):
            for word, proxy in (('far', DELEGATES), ('near', SERVES)):
                found = self._answers(proxy, made(self.where(word, number)))
                self.statuses[number, word] = [int(status) for status in STATUS.findall(found)]
                self.etags[number, word] = ETAG.findall(found)
        self._wait()
        for number in range(len(cases)):
            for word in ('far', 'near'):
                for proxy in (DELEGATES, SERVES):
                    self.lines[number, word, proxy] = proxies.lines(
                        proxy, self.where(word, number))

    def where(self, word, number):
        """Return how the paths of a case begin."""
        return f'{self.proxies.base}/{word}/{number}-'

    def _answers(self, proxy, data):
        with self.proxies.wire(proxy) as wire:
            wire.send(data)
            wire.finish()
            return wire.rest()

    def _wait(self):
        """Wait until the logs have all: what is sent last is there."""
        for proxy in (DELEGATES, SERVES):
            self.proxies.ask('GET', self.proxies.base + f'/far?last{proxy}', proxy=proxy)
            assert self.proxies.seen(proxy, f'last{proxy}')


@pytest.fixture(scope='module')
def sent():
    """What came of the corpus."""
    proxies = two_proxies('smuggling')
    try:
        for container in ('far', 'near'):
            proxies.put(f'/{container}')
        yield Sent(proxies)
    finally:
        proxies.lab.down()


def asked(lines):
    """Return what was asked, in order."""
    return [(line.method, line.path.rpartition('-')[2]) for line in lines]


@pytest.mark.parametrize('number', range(len(NAMES)), ids=NAMES)
def test_the_peer_sees_one_request_or_the_client_is_told_400(sent, number):
    here, there = (sent.lines[number, 'far', proxy] for proxy in (DELEGATES, SERVES))
    far, near = sent.statuses[number, 'far'], sent.statuses[number, 'near']
    delegated = [line for line in here if line.source == 'LB']
    assert [line[3:5] for line in delegated] == [line[3:5] for line in there]   # status and id
    assert asked(delegated) == asked(there)
    assert max(Counter(asked(there)).values(), default=0) <= 1
    own = sent.lines[number, 'near', SERVES]
    if far == KINDER.get(NAMES[number], near):
        assert asked(here) == asked(own)
        assert max(Counter(what for _method, what in asked(there)).values(), default=0) <= 1
    else:       # refused, and what comes behind it is as it is here
        assert far[0] == 400
        assert SEEN not in [what for _method, what in asked(there)]
        assert far[1:] == near[1:len(far)]
        assert asked(here)[1:] == asked(own)[1:len(here)]


@pytest.mark.parametrize('method', METHODS)
def test_nobody_takes_a_body_for_a_request(sent, method):
    number = NAMES.index(f'in the body of {method}')
    for proxy in (DELEGATES, SERVES):
        for word in ('far', 'near'):
            assert HIDDEN not in str(sent.lines[number, word, proxy])


def test_what_is_taken_is_the_same_bytes(sent):
    taken = [number for number in range(len(NAMES) - len(METHODS)) if all(
        sent.statuses[number, word][:1] == [201] for word in ('far', 'near'))]
    assert len(taken) > 20
    for number in taken:
        assert sent.etags[number, 'far'] == sent.etags[number, 'near'], NAMES[number]


def test_neither_proxy_has_stumbled(sent):
    log = sent.proxies.lab.log(f'proxy-{DELEGATES}').read_text()
    assert 'Traceback' not in log
    assert not any(name.startswith('fallbacks') for name in sent.proxies.dispatched())
