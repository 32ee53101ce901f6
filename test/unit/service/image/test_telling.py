"""Hosts tell each other what they keep, by real datagrams; what is lost or forged does no harm."""
import pytest

from swift_lb.chains.cache.keys import key_of
from swift_lb.service.image.kept_requests import KeptRequests
from swift_lb.service.image.store import BLOCK, Store
from swift_lb.service.image.telling import AGAIN, BURST, Telling
from swift_lb.service.mesh import Mesh
from swift_lb.wire.kept_news import KEY as LENGTH
from swift_lb.wire.kept_news import MOST

KEY, WALL = b'a key that all hosts have', 1_700_000_000.0
REQUESTS = [key_of('request', number) for number in range(3 * BURST * MOST)]


class Host:
    """A Telling with a socket of its own, and the requests of which it keeps results."""

    def __init__(self, name, key=KEY, epoch=5):
        self.requests, self.mesh = KeptRequests(), Mesh('127.0.0.1', 0)
        self.telling = Telling(name, (key,), self.requests, self.mesh, epoch)

    def tell(self, other, now):
        """Send to another Host what is due at `now`, and let it hear that."""
        self.telling.addresses = [other.mesh.socket.getsockname()]
        self.telling.tick(now, WALL)
        other.telling.hear(now, WALL)


@pytest.fixture
def hosts():
    """Yield two Hosts, a and b."""
    result = Host('a'), Host('b')
    yield result
    for host in result:
        host.mesh.socket.close()


def test_a_host_is_told_at_once_what_is_kept_and_what_is_gone(hosts):
    a, b = hosts
    a.requests.kept('pixels', REQUESTS[0][:LENGTH])
    a.requests.kept('cut', REQUESTS[0][:LENGTH])
    a.tell(b, 0.0)
    assert [('a',), ()] == [b.telling.where(request) for request in REQUESTS[:2]]
    a.requests.gone('pixels')
    a.tell(b, AGAIN / 10)
    assert ('a',) == b.telling.where(REQUESTS[0])
    a.requests.gone('cut')
    a.tell(b, AGAIN / 5)
    assert () == b.telling.where(REQUESTS[0])
    assert a.mesh.traffic['datagrams_sent'] == 2


def test_this_host_comes_first(hosts):
    a, b = hosts
    for host in hosts:
        host.requests.kept('x', REQUESTS[0][:LENGTH])
    a.tell(b, 0.0)
    assert ('b', 'a') == b.telling.where(REQUESTS[0])


def test_what_was_lost_is_told_again(hosts):
    a, b = hosts
    for number, request in enumerate(REQUESTS[:2 * MOST + 5]):
        a.requests.kept(number, request[:LENGTH])
    a.telling.tick(0.0, WALL)       # to nobody
    for number in range(1, 4):
        a.tell(b, number * AGAIN)
    assert all(b.telling.where(request) for request in REQUESTS[:2 * MOST + 5])


def test_much_news_is_told_in_bursts(hosts):
    a, b = hosts
    for number, request in enumerate(REQUESTS):
        a.requests.kept(number, request[:LENGTH])
    for number in range(1, 4):
        a.tell(b, number / 10)
        assert {'a': number * BURST * MOST} == b.telling.directory.counts()


@pytest.mark.parametrize(('name', 'key', 'wall', 'why'), [
    ('a', b'another key of 16', WALL, 'forged'), ('b', KEY, WALL, 'own'),
    ('a', KEY, WALL - 61, 'skewed')])
def test_other_datagrams_are_refused_and_counted(hosts, name, key, wall, why):
    sender, b = Host(name, key), hosts[1]
    sender.requests.kept('x', REQUESTS[0][:LENGTH])
    sender.telling.addresses = [b.mesh.socket.getsockname()]
    sender.telling.tick(0.0, wall)
    b.telling.hear(0.0, WALL)
    assert {why: 1} == b.telling.document()['refused']
    assert () == b.telling.where(REQUESTS[0])


def test_a_host_that_has_restarted_begins_anew(hosts):
    a, b = hosts
    a.requests.kept('x', REQUESTS[0][:LENGTH])
    a.tell(b, 0.0)
    again = Host('a', epoch=6)
    again.requests.kept('y', REQUESTS[1][:LENGTH])
    again.tell(b, 1.0)
    assert [(), ('a',)] == [b.telling.where(request) for request in REQUESTS[:2]]


def test_a_store_tells_what_it_keeps_evicts_and_has_from_before(tmp_path):
    requests = KeptRequests()
    store = Store(str(tmp_path), 2 * BLOCK, 0.0, print, requests)
    for number in range(3):
        store.keep(key_of(number), b'x', 1.0, REQUESTS[number])
    store.keep(key_of(2), b'x', 1.0, REQUESTS[2])       # once more
    kept, gone = requests.news(9)
    assert [number for number, request in enumerate(REQUESTS) if request[:LENGTH] in kept] == [1, 2]
    assert (REQUESTS[0][:LENGTH],) == gone
    later = KeptRequests()
    Store(str(tmp_path), 2 * BLOCK, 0.0, print, later)
    assert sorted(kept) == sorted(later.news(9)[0])
