"""The index as bytes, the ranges that are read, and what the points are said to cost."""
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.jpeg2000 import cut_of, encoded, index_of, noise

from swift_lb.chains.chain import D1, D2, D3, D4, PNG, Region, Task, run
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.main_header import read_header
from swift_lb.chains.jpeg2000.markers import COC, POC, PPM
from swift_lb.chains.jpeg2000.ranges import joined
from swift_lb.chains.registry import chain_of
from swift_lb.errors import ChainError

GAPS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 300)), max_size=30)


@given(GAPS, st.randoms(use_true_random=False))
def test_joined_ranges_have_all_bytes_and_few_others(gaps, rng):
    spans, at = [], 0
    for gap, size in gaps:
        spans.append((at + gap, at + gap + size))
        at += gap + size
    needed = {at for span in spans for at in range(*span)}
    rng.shuffle(spans)
    ranges = joined(spans)
    read = [at for first, last in ranges for at in range(first, last + 1)]
    assert needed <= set(read)
    assert read == sorted(set(read))
    assert len(read) <= 1.1 * len(needed)


@pytest.mark.parametrize('options', [{}, {'plt': False}, {'tile_size': None}, {'no_jp2': False}])
def test_an_index_is_kept_as_bytes(options):
    index = index_of(encoded(noise('RGB', 600, 300), **options))
    data = CHAIN.dumps(index)
    assert CHAIN.loads(data) == index
    for bad in (b'', data[:40], data[:-1], data[:-1] + bytes([data[-1] ^ 1]), b'x' + data[1:]):
        with pytest.raises(ValueError, match='no index of an image'):
            CHAIN.loads(bad)


def test_points_cost_what_they_send_and_read():
    data = encoded(noise('L', 1024, 1024))
    for reduce, region in ((0, Region(200, 200, 400, 100)), (1, None), (2, Region(9, 9, 9, 9))):
        task = Task(region, reduce)
        works, why = CHAIN.works(index_of(data), task, 4)
        assert [work.point for work in works] == [D1, D2, D3, D4, D4]
        assert not why
        assert works[0].size == works[0].read == len(data)
        assert works[1].size == len(cut_of(data, task))
        assert works[3].form == PNG
        assert 0 < works[2].size
        assert works[4].size == works[4].pixels + 20


@pytest.mark.parametrize(('options', 'overview', 'why'), [
    ({}, None, {D3: 'the client has no overview that is coarser'}),
    ({}, 1, {D3: 'the client has no overview that is coarser'}),
    ({'tile_size': None}, 3, dict.fromkeys((D2, D3), 'the image is not tiled')),
    ({'progression': 'CPRL'}, 3,
     {D3: 'the packets of the image are not in the order of resolutions'}),
    ({'progression': 'CPRL', 'plt': False}, 3, dict.fromkeys(
        (D2, D3), 'the packets of the image are not in the order of resolutions')),
    ({'progression': 'CPRL', 'plt': False, 'offset': (9, 9)}, 3, dict.fromkeys(
        (D2, D3, D4), 'the packets of the image are not in the order of resolutions'))])
def test_points_that_do_not_work_have_a_reason(options, overview, why):
    index = index_of(encoded(noise('L', 600, 300), **options))
    works, found = CHAIN.works(index, Task(Region(0, 0, 50, 50), 1), overview)
    assert found == why
    assert {work.point for work in works} == {D1, D2, D3, D4} - set(why)


@pytest.mark.parametrize(('segment', 'why'), [
    ((COC, b'\1\1\4\4\4\0\1\x77\x77\x77\x77\x77'), 'components of the image have different'),
    ((COC, b'\1\0\3\4\4\0\1'), 'components of the image have different'),
    ((COC, b'\1\1\4\4\4\0\1\xff\xff\xff\xff\xff'), None),
    ((PPM, b'\0'), 'packed packet headers'), ((POC, b'\0'), 'order of the packets')])
def test_resolutions_are_left_out_only_if_it_is_known_which_packets_they_have(segment, why):
    header = index_of(encoded(noise('RGB', 600, 300), num_resolutions=5)).header
    assert not header.unreduced
    found = read_header((*header.kept, segment)).unreduced
    assert why in found if why else not found


@pytest.mark.parametrize('task', [
    Task(None, -1), Task(None, 6), Task(Region(600, 0, 1, 1)), Task(Region(-1, 0, 9, 9)),
    Task(Region(0, 0, 0, 9))])
def test_bad_tasks_are_refused(task):
    with pytest.raises(ChainError) as error:
        CHAIN.works(index_of(encoded(noise('L', 600, 300))), task)
    assert error.value.status == '400 Bad Request'


def test_objects_are_claimed_by_type_or_name():
    assert chain_of('/v1/a/c/o', 'image/jp2; charset=binary') is CHAIN
    assert chain_of('/v1/a/c/o.JP2', 'application/octet-stream') is CHAIN
    assert chain_of('/v1/a/c/o', 'image/png') is None


def test_an_index_of_many_tiles_lets_other_requests_go_on():
    data = encoded(noise('L', 1280, 1280), tile_size=(32, 32))
    pauses = []

    def read(ranges):
        pauses.append(not ranges)
        return [data[first:last + 1] for first, last in ranges]
    assert len(run(CHAIN.index(len(data)), read).parts.tiles) == 1600
    assert sum(pauses) > 4
