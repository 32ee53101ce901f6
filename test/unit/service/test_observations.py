"""What agents know of their cluster's proxies: merged over workers, told to speakers, forgotten."""
import pytest

from swift_lb.model import ContentTime, EndedRedirect
from swift_lb.service.cluster_options import ClusterOptions
from swift_lb.service.observations import ClusterObservations
from swift_lb.service.taken_rates import OVER
from swift_lb.wire import observations, signature
from swift_lb.wire.observations import (
    AGENT,
    MAGIC,
    Observations,
    RelayedBody,
    SeenPath,
    SentReads,
    ServedTime,
    TakenRequests,
)

KEY = b'one key of all clusters'
OPTIONS = ClusterOptions(name='a', key=KEY.decode())
WALL = 1.7e9
PATH = SeenPath('198.51.100.0/24', 3.0, 0.02, 1e6)


def of(worker=7, node='n0', sequence=1, **fields):
    """Return signed observations of a worker of `node`."""
    seen = Observations('a', node, worker, 1, sequence, WALL)._replace(**fields)
    return signature.sign(KEY, observations.encode(seen), MAGIC)


def told(observed, *datagrams, now=100.0):
    """Let `observed` receive `datagrams`; return the number that it has accepted of these."""
    before = observed.accepted
    for datagram in datagrams:
        observed.receive(OPTIONS, (KEY,), datagram, now, WALL)
    return observed.accepted - before


def heard(observed, now=100.0):
    """Return the Observations that `observed` tells the speakers now, None if nothing."""
    datagram = observed.tell('a', KEY, now, WALL)
    return datagram and observations.decode(signature.verified((KEY,), datagram, MAGIC))


@pytest.fixture
def observed():
    """ClusterObservations of the node n0."""
    return ClusterObservations('n0', 1)


def test_the_time_of_a_node_is_the_mean_of_its_workers_by_requests(observed):
    assert 2 == told(observed, of(1, times=(ServedTime('small', 0.01, 0.001, 30.0),)),
                     of(2, times=(ServedTime('small', 0.05, 0.005, 10.0),
                                  ServedTime('light', 0.002, 0.0, 1.0))))
    assert pytest.approx((0.02, 0.002, 40.0)) == observed.times_of('n0')['small'][1:]
    assert 0.002 == observed.times_of('n0')['light'].seconds


def test_the_time_of_a_cluster_is_that_of_its_relays_or_else_of_all_nodes(observed):
    told(observed, of(1, times=(ServedTime('small', 0.01, 0.001, 1.0),)),
         of(AGENT, 'n1', times=(ServedTime('small', 0.03, 0.003, 1.0),
                                ServedTime('large', 0.2, 0.0, 1.0))),
         of(AGENT, 'n2', times=(ServedTime('small', 9.0, 0.0, 9.0),)))
    large, small = observed.times(['n0', 'n1', 'n2'], ['n0'])
    assert ContentTime('small', 0.01, 0.001) == small
    assert ContentTime('large', 0.2, 0.0) == large
    small, = observed.times(['n0'], [])
    assert 0.01 == small.seconds
    assert () == observed.times([], [])


def test_an_agent_tells_the_speakers_what_is_new_once(observed):
    told(observed, of(1, bodies=(RelayedBody('b', 1e6, 1.0),), paths=(PATH,)),
         of(2, bodies=(RelayedBody('b', 3e6, 1.0), RelayedBody('c', 5e5, 1.0))))
    seen = heard(observed)
    assert ('a', 'n0', AGENT, (PATH,)) == (seen.cluster, seen.node, seen.worker, seen.paths)
    assert (RelayedBody('b', 4e6, 2.0), RelayedBody('c', 5e5, 1.0)) == seen.bodies
    assert heard(observed) is None
    assert {'b': 2e6, 'c': 5e5} == observed.take_rates()
    assert {} == observed.take_rates()


def test_what_other_agents_tell_is_not_told_again(observed):
    told(observed, of(AGENT, 'n1', bodies=(RelayedBody('b', 1e6, 1.0),), paths=(PATH,),
                      times=(ServedTime('small', 0.03, 0.003, 1.0),)))
    assert heard(observed) is None
    assert {'b': 1e6} == observed.take_rates()
    assert [PATH] == observed.paths.busiest()


def test_all_of_many_networks_are_told_within_some_intervals(observed):
    networks = {f'10.0.{number}.0/24' for number in range(120)}
    for start, names in enumerate((sorted(networks)[:60], sorted(networks)[60:])):
        for part in range(4):
            told(observed, of(1, sequence=4 * start + part + 1, paths=tuple(
                PATH._replace(network=name) for name in names[part * 15:part * 15 + 15])))
    seen = set()
    for _interval in range(8):
        some = heard(observed)
        seen |= {path.network for path in some.paths} if some else set()
    assert networks == seen


def test_datagrams_forged_garbled_replayed_or_of_strangers_are_refused(observed):
    good = of(1)
    stranger = signature.sign(KEY, observations.encode(
        Observations('b', 'n0', 1, 1, 1, WALL)), MAGIC)
    assert 1 == told(
        observed, good, good, stranger, good[:-1] + b' ', MAGIC, signature.sign(KEY, b'[]', MAGIC),
        of(1, sequence=2, sent_at=WALL + 61), of(AGENT, 'n0'), of(3, 'n1'))
    assert {'forged': 2, 'garbled': 1, 'stranger': 3, 'replayed': 1, 'skewed': 1} == (
        observed.refused)


def test_the_times_of_a_worker_that_is_silent_are_forgotten(observed):
    told(observed, of(1, times=(ServedTime('small', 0.01, 0.001, 1.0),)))
    observed.forget(104.0)
    assert observed.times_of('n0')
    observed.forget(105.0)
    assert not observed.times_of('n0')
    assert 0 == told(observed, of(1), now=110.0)        # it is still known as replayed
    observed.forget(300.0)
    assert 1 == told(observed, of(1), now=300.0)


def test_the_reads_sent_to_a_cluster_are_those_of_this_hosts_workers_in_a_minute(observed):
    told(observed, of(1, sent=(SentReads('eu', 30.0, 6.0, 20.0, 8.0, 9.0),)),
         of(AGENT, 'n1', sent=(SentReads('eu', 600.0),)))
    told(observed, of(2, sent=(SentReads('eu', 30.0, 0.0, 20.0, 8.0, 7.0), SentReads('us'))),
         now=110.0)
    assert pytest.approx((1.0, 0.1, 0.4, 0.4)) == observed.sent.of('eu', 150.0)
    assert pytest.approx((0.5, 0.0, 0.4, 0.35)) == observed.sent.of('eu', 161.0)
    assert (0.0, 0.0, None, None) == observed.sent.of('eu', 171.0) == observed.sent.of('x', 150.0)


def test_bodies_of_more_seconds_than_a_datagram_can_tell_keep_their_rate():
    observed = ClusterObservations('n0', 1)
    for _body in range(3):
        observed.note_body(RelayedBody('b', 3e9, 3000.0))
    datagram = observed.tell('a', KEY, 100.0, WALL)
    told = observations.decode(signature.verified([KEY], datagram, MAGIC))
    assert (1e6, 3600.0) == (told.bodies[0].bytes / told.bodies[0].seconds, told.bodies[0].seconds)
    assert {'b': pytest.approx(1e6)} == observed.take_rates()


def test_requests_of_other_clusters_are_told_to_the_speakers_and_counted_by_them(observed):
    assert observed.taken(100.0) is None
    told(observed, of(1, taken=(TakenRequests('eu', 3.0),)),
         of(2, taken=(TakenRequests('eu', 5.0), TakenRequests('us', 1.0))))
    assert (TakenRequests('eu', 8.0), TakenRequests('us', 1.0)) == heard(observed).taken
    assert heard(observed) is None
    told(observed, of(AGENT, 'n1', taken=(TakenRequests('eu', 12.0),)), now=101.0)
    assert heard(observed) is None
    assert {'eu': 20 / OVER, 'us': 1 / OVER} == observed.taken(101.0)
    assert {'eu': 12 / OVER} == observed.taken(100.0 + OVER)
    assert {} == observed.taken(101.0 + OVER)
    observed.forget(200.0)
    assert observed.taken(200.0) is None        # all are silent


def test_the_usual_seconds_are_the_mean_of_all_requests(observed):
    assert observed.usual_seconds() is None
    told(observed, of(1, times=(ServedTime('small', 0.01, 0.001, 30.0),)),
         of(AGENT, 'n1', times=(ServedTime('large', 0.05, 0.0, 10.0),)))
    assert 0.02 == pytest.approx(observed.usual_seconds())


def test_ends_of_redirected_reads_are_told_to_the_speakers_and_kept_for_a_minute(observed):
    first, second = EndedRedirect('00000001', 0.5, None), EndedRedirect('00000002', 0.0, 0.25)
    told(observed, of(1, ended=(('eu', first),)), of(AGENT, 'n1', ended=(('eu', second),)))
    assert (('eu', first),) == heard(observed).ended
    assert heard(observed) is None
    assert {'eu': [first, second]} == observed.ended(160.0)
    assert {} == observed.ended(160.1)


def test_of_many_redirected_reads_the_last_ones_are_told(observed):
    for number in range(10):
        told(observed, of(number, ended=(('eu', EndedRedirect(f'{number:08x}', 0.0, None)),)))
    last = [EndedRedirect(f'{number:08x}', 0.0, None) for number in range(6, 10)]
    assert {'eu': last} == observed.ended(100.0)
    assert last == [one for _cluster, one in heard(observed).ended]
