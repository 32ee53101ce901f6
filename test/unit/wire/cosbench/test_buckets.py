"""COSBench's buckets: its percentiles, worked by hand, and its file."""
import pytest

from swift_lb.wire.cosbench.buckets import ENDLESS, percentiles, table


@pytest.mark.parametrize(('buckets', 'edges'), [
    ({}, (None,) * 6),
    ({5: 1}, (10, 10, 10, 10, 10, 60)),          # int(0.99) is 0: the first bucket, as COSBench
    ({0: 50935 - 1, 1: 1}, (10, 10, 10, 10, 10, 20)),
    ({0: 60, 1: 20, 2: 10, 3: 5, 4: 4, 9: 1}, (10, 20, 30, 40, 50, 100)),
    ({0: 59, 1: 41}, (20, 20, 20, 20, 20, 20)),
    ({3: 2}, (40, 40, 40, 40, 40, 40)),           # int(1.2) is 1
    ({49_999: 1, 50_000: 9}, (ENDLESS,) * 6),
])
def test_percentiles_are_upper_edges(buckets, edges):
    assert percentiles(buckets) == edges


def test_the_table_has_fifty_thousand_and_one_lines():
    lines = list(table([('s3-main-w1-main-read', {0: 1, 2: 2, 50_000: 1}),
                        ('s3-main-w1-main-write', {}), ('s4-x-w1-x-read', None)]))
    assert lines[0] == ('ResTime,s3-main-w1-main-read,(%),s3-main-w1-main-write,(%),'
                        's4-x-w1-x-read,(%)\n')
    assert lines[1] == '0~10,1,25%,0,0%,,\n'
    assert lines[2] == '10~20,0,25%,0,0%,,\n'
    assert lines[3] == '20~30,2,75%,0,0%,,\n'
    assert lines[4] == '30~40,0,75%,0,0%,,\n'
    assert lines[50_000] == '499990~500000,0,75%,0,0%,,\n'
    assert lines[50_001] == '500000~+INF,1,100%,0,0%,,\n'
    assert len(lines) == 50_002
