"""What changes under a running proxy: the ring's devices, and the wall clock."""
import itertools
import math
import time

import pytest
from support.fallbacks import broken
from support.proxy_app import policy_of, swift_dir
from support.scripted_cluster import key_of
from support.scripted_node import ScriptedNode
from support.stored_object import stored

from swift_lb.proxy.recorder import FORGET_AFTER

BODY = b'x' * 1000


@pytest.fixture
def made(cluster, tmp_path):
    """Return a cluster of four nodes, policy lb_rlt, without hedging: a read asks one node."""
    return cluster(*[stored(BODY)] * 4, lb_policy='lb_rlt', lb_hedge='off')


def reload(made, directory, nodes):
    """Write rings in which `nodes` hold every object, and have the proxy load them at once."""
    swift_dir(directory, [key_of(node) for node in nodes])
    made.app.get_object_ring(0)
    policy_of(0).object_ring._reload(force=True)  # Swift checks every 15 s


def read_often(made):
    """Read an object 100 times: each node of the ring is almost surely asked."""
    # An unmeasured one of five is first 1 time in 5; never in 100 with a probability of 0.8 ** 100
    assert [(200, BODY)] * 100 == [made.ask() for _ in range(100)]


def test_a_device_that_joins_the_ring_is_read_and_measured(made, tmp_path):
    read_often(made)
    fresh = ScriptedNode(stored(BODY), device='sd5')
    made.nodes.append(fresh)
    reload(made, tmp_path, made.nodes)
    read_often(made)
    assert made.load(5).chunks >= 1
    assert fresh.count() == made.load(5).successes


def test_a_device_that_left_the_ring_is_forgotten_in_an_hour(made, tmp_path, monkeypatch):
    read_often(made)
    gone = made.nodes[0]
    reload(made, tmp_path, made.nodes[1:])
    before = gone.count()
    read_often(made)
    assert before == gone.count()
    recorder, now = made.app.recorder, made.app.recorder.clock()
    assert key_of(gone) in recorder.book.snapshot().loads
    recorder.clock = lambda: now + FORGET_AFTER + 1
    monkeypatch.setattr(recorder.metrics, 'flush', broken)      # metrics that fail change nothing
    recorder.flush(0)
    assert key_of(gone) not in recorder.book.snapshot().loads


@pytest.mark.parametrize('step', [-7200.0, 7200.0])
def test_a_step_of_the_wall_clock_does_not_spoil_measured_times(made, monkeypatch, step):
    wall, calls = time.time, itertools.count()
    with monkeypatch.context() as stepping:     # each call is two hours off the last
        stepping.setattr(time, 'time', lambda: wall() + step * next(calls))
        read_often(made)
    assert next(calls) > 0
    for number in (1, 2, 3, 4):
        load = made.load(number)
        for seconds in (load.connect_time, load.first_byte_time):
            assert seconds is None or 0 <= seconds < 7200
        assert load.last_throughput is None or load.last_throughput > 0


@pytest.mark.parametrize('seconds', [-0.5, math.nan, math.inf, 7200.0])
def test_an_infinite_or_negative_connect_time_is_not_recorded(made, seconds):
    node = {'ip': '127.0.0.9', 'port': 1, 'device': 'sd1'}
    made.app.set_node_timing(node, seconds)
    assert {} == made.app.replicas.book.snapshot([key_of(made.nodes[0])]).connects
    made.app.set_node_timing(node, 0.002)
    assert '127.0.0.9' in made.app.replicas.book._connects
