"""Requests that two servers may read in two ways: the peer gets what this proxy reads, or none."""
import re
from collections import Counter

import pytest
from support.dispatch_corpus import HIDDEN, SEEN, corpus, hidden_in
from support.dispatch_lab import DELEGATES, SERVES, two_proxies

STATUS, ETAG = re.compile(rb'HTTP/1\.[01] (\d\d\d)'), re.compile(rb'\r\nEtag: (\S+)')
METHODS = ('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS')
NAMES = [*corpus(None), *(f'in the body of {method}' for method in METHODS)]
# Swift's proxy refuses this here, and accepts it from a peer, which sends the usual spelling.
KINDER = {'Chunked': [201, 201]}


class Sent:
    """Sends each ambiguous request twice, to be delegated (`far`) and served locally (`near`).

    `statuses`, `etags` and `lines` (of each proxy's log) have {(number, word): [...]}."""

    def __init__(self, proxies):
        self.proxies, self.statuses, self.etags, self.lines = proxies, {}, {}, {}
        cases = [*corpus(proxies.token).values(),
                 *(hidden_in(method, proxies.token) for method in METHODS)]
        for number, made in enumerate(cases):
            for word, proxy in (('far', DELEGATES), ('near', SERVES)):
                result = self._answers(proxy, made(self.where(word, number)))
                self.statuses[number, word] = [int(status) for status in STATUS.findall(result)]
                self.etags[number, word] = ETAG.findall(result)
        self._wait()
        for number in range(len(cases)):
            for word in ('far', 'near'):
                for proxy in (DELEGATES, SERVES):
                    self.lines[number, word, proxy] = proxies.lines(
                        proxy, self.where(word, number))

    def where(self, word, number):
        """Return the beginning of the paths of ambiguous request `number`, to `far` or `near`."""
        return f'{self.proxies.base}/{word}/{number}-'

    def _answers(self, proxy, data):
        with self.proxies.wire(proxy) as wire:
            wire.send(data)
            wire.finish()
            return wire.rest()

    def _wait(self):
        """Wait until the log of each proxy has a request that follows all others."""
        for proxy in (DELEGATES, SERVES):
            self.proxies.ask('GET', self.proxies.base + f'/far?last{proxy}', proxy=proxy)
            assert self.proxies.seen(proxy, f'last{proxy}')


@pytest.fixture(scope='module')
def sent():
    """Sent, with the answers and log lines of all ambiguous requests."""
    proxies = two_proxies('smuggling')
    try:
        for container in ('far', 'near'):
            proxies.put(f'/{container}')
        yield Sent(proxies)
    finally:
        proxies.lab.down()


def asked(lines):
    """Return [(method, end of the path, after the last `-`)] of the log's lines, in order."""
    return [(line.method, line.path.rpartition('-')[2]) for line in lines]


@pytest.mark.parametrize('number', range(len(NAMES)), ids=NAMES)
def test_an_ambiguous_request_reaches_the_peer_once_or_gets_400(sent, number):
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
    else:       # refused; the request behind it is answered as here
        assert far[0] == 400
        assert SEEN not in [what for _method, what in asked(there)]
        assert far[1:] == near[1:len(far)]
        assert asked(here)[1:] == asked(own)[1:len(here)]


@pytest.mark.parametrize('method', METHODS)
def test_no_proxy_reads_a_request_hidden_in_a_body(sent, method):
    number = NAMES.index(f'in the body of {method}')
    for proxy in (DELEGATES, SERVES):
        for word in ('far', 'near'):
            assert HIDDEN not in str(sent.lines[number, word, proxy])


def test_delegated_bodies_are_stored_with_the_etag_of_local_ones(sent):
    accepted = [number for number in range(len(NAMES) - len(METHODS)) if all(
        sent.statuses[number, word][:1] == [201] for word in ('far', 'near'))]
    assert len(accepted) > 20
    for number in accepted:
        assert sent.etags[number, 'far'] == sent.etags[number, 'near'], NAMES[number]


def test_ambiguous_requests_cause_no_error_in_the_log(sent):
    log = sent.proxies.lab.log(f'proxy-{DELEGATES}').read_text()
    assert 'Traceback' not in log
    assert not any(name.startswith('fallbacks') for name in sent.proxies.dispatched())
