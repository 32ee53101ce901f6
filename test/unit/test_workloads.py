"""The workloads that come with swift-lb: each is sound, and COSBench could load it as it is."""
from pathlib import Path

import pytest

from swift_lb.wire.cosbench.read import read

FILES = sorted((Path(__file__).resolve().parents[2] / 'etc' / 'workloads').glob('*.xml'))
DOC = Path(__file__).resolve().parents[2] / 'doc' / 'cosbench.md'
PAPER_WORKERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700]

each = pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)


def load(file):
    """Return the Workload of a file; fail if the file has any fault or warning."""
    parsed = read(file.read_bytes())
    assert parsed.warnings == ()
    return parsed.workload


def works(workload, kind):
    """Return the works of the type `kind` in all stages of a Workload, in order."""
    return [work for stage in workload.stages for work in stage.works if work.type == kind]


def numbers(selector):
    """Return the range of all numbers that a Selector may choose."""
    return range(selector.low, selector.high + 1)


@each
def test_a_workload_uses_no_extension_of_swift_lb(file):
    for work in (work for stage in load(file).stages for work in stage.works):
        assert work.auth.type == 'swauth'
        assert work.storage.type == 'swift'
        assert 'logging=false' in work.storage.config    # COSBench's default is a line a request
        assert work.rate is None


@each
def test_a_workload_prepares_its_objects_and_cleans_them_up(file):
    workload = load(file)
    [prepare], [cleanup] = works(workload, 'prepare'), works(workload, 'cleanup')
    containers = numbers(works(workload, 'init')[0].operations[0].target.containers)
    prepared = numbers(prepare.operations[0].target.objects)
    for work in works(workload, 'normal'):
        targets = {operation.type: operation.target for operation in work.operations}
        read_from = numbers(targets['read'].objects)
        for kind, target in targets.items():
            assert set(numbers(target.containers)) <= set(containers)
            if kind == 'write':
                assert not set(numbers(target.objects)) & set(read_from)
        assert set(read_from) <= set(prepared)
        if 'delete' in targets:
            assert set(numbers(targets['delete'].objects)) <= set(prepared) - set(read_from)
        if 'write' in targets:
            assert set(numbers(targets['write'].objects)) <= set(
                numbers(cleanup.operations[0].target.objects))


@pytest.mark.parametrize('size', [4, 16])
def test_workloads_lb_rlt_have_the_papers_workers_and_ratios(size):
    [file] = [file for file in FILES if file.stem == f'lb-rlt-{size}KB']
    main = works(load(file), 'normal')
    assert [work.workers for work in main] == PAPER_WORKERS
    for work in main:
        assert (work.runtime, work.interval) == (300, 5)
        assert {op.type: op.ratio for op in work.operations} == {'read': 80, 'write': 20}
        assert work.operations[1].target.sizes.low == size * 1000


@each
def test_the_manual_lists_each_workload(file):
    assert f'`{file.name}`' in DOC.read_text()
