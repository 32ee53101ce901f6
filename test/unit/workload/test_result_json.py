"""A run as JSON: numbers with their units, and the whole histogram."""
import json

import pytest
from hdrh.histogram import HdrHistogram
from support.counted_run import counted_run

from swift_lb.workload.figures import percentiles
from swift_lb.workload.result_json import result_json


@pytest.fixture
def document():
    run = counted_run()
    run.stages[1].works[0].ops[0].resent = 7
    return json.loads(result_json(run))


def test_result_json_has_the_runs_name_states_and_versions(document):
    assert {
        'format': 1, 'id': 'w7', 'name': 'demo', 'description': 'worked by hand',
        'state': 'failed', 'submitted_at': '2026-11-21T02:12:06', 'drivers': 2,
        'command': 'swift-lb bench run demo.xml', 'versions': {'swift-lb': '0.1.0'},
    }.items() <= document.items()
    assert document['states'][0] == {'state': 'queuing', 'at': '2026-11-21T02:12:06'}
    assert [stage['id'] for stage in document['stages']] == ['s1-prepare', 's2-main', 's3-cleanup']
    assert document['stages'][2]['works'] == []


def test_the_json_has_both_our_and_cosbenchs_throughput(document):
    read, write = document['stages'][1]['works'][0]['operations']
    assert read['throughput_per_second'] == pytest.approx(0.3)
    assert read['cosbench_throughput_per_second'] == pytest.approx(0.9)
    assert read['bandwidth_bytes_per_second'] == pytest.approx(1200)
    assert read['mean_response_seconds'] == pytest.approx(0.015)
    assert read['response_seconds']['p50'] == pytest.approx(0.015, rel=1e-3)
    assert read['response_seconds']['max'] == pytest.approx(0.025, rel=1e-3)
    assert write['failures_by_reason'] == {'HTTP 503': 1}
    assert write['success_ratio'] == 0.5
    assert (read['resent'], write['resent']) == (7, 0)
    bulk, = document['stages'][1]['works'][1]['operations']
    assert (bulk['mean_response_seconds'], bulk['response_seconds'], bulk['success_ratio']) == (
        None, {}, 0)


def test_the_histogram_in_the_json_can_be_decoded(document):
    read = document['stages'][1]['works'][0]['operations'][0]
    again = HdrHistogram.decode(read['histogram_microseconds'])
    assert again.get_total_count() == 3
    assert percentiles(again) == read['response_seconds']


def test_the_json_has_each_interval_of_a_stages_timeline(document):
    first, second = document['stages'][1]['timeline']
    assert first['at'] == '2026-11-21T02:12:11'
    assert [(op['work'], op['name'], op['successes'], op['failures'])
            for op in first['operations']] == [('main', 'read', 3, 0), ('main', 'write', 1, 1),
                                               ('bulk', '1-read-read', 0, 2)]
    assert second['operations'][1]['throughput_per_second'] == 0.25


def test_the_json_says_of_each_work_whether_its_loop_is_open(document):
    closed, due = document['stages'][1]['works']
    assert closed['coordinated_omission'].startswith('closed loop: response times are of requests')
    assert due['coordinated_omission'].startswith('open loop')
    assert due['rate_per_second'] == 40
