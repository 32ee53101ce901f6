"""The workloads of an evaluation, COSBench's XML, as its parser reads them."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.evaluation import workloads
from swift_lb.wire.cosbench.read import read

ACCESS = workloads.login('http://127.0.0.1:8080/auth/v1.0', 'test:tester', 'testing')


def stages(text):
    """Return the workstages of a workload, XML, which must be read without a warning."""
    result = read(text.encode())
    assert result.warnings == ()
    return result.workload.stages


def test_a_measured_run_is_one_work_of_reads_and_writes():
    [stage] = stages(workloads.mixed(ACCESS, '16KB', 64, (3, 12), 80, 100))
    [work] = stage.works
    assert (work.workers, work.rampup, work.runtime, work.interval) == (64, 3, 12, 1)
    reads, writes = work.operations
    assert [(op.type, op.ratio) for op in work.operations] == [('read', 80), ('write', 20)]
    assert (reads.target.objects.low, reads.target.objects.high) == (1, 100)
    assert writes.target.objects.low > 100000
    assert (writes.target.sizes.kind, writes.target.sizes.low) == ('constant', 16000)
    assert reads.target.cprefix == writes.target.cprefix == 'swift-lb-evaluate-16kb-'


def test_failed_operations_do_not_fail_a_measured_run():
    [stage] = stages(workloads.mixed(ACCESS, '4KB', 1, (3, 12), 80, 100))
    assert stage.works[0].afr == 1000000


def test_a_run_of_100_percent_reads_has_no_writes():
    [stage] = stages(workloads.mixed(ACCESS, '4KB', 1, (3, 12), 100, 100))
    assert [op.type for op in stage.works[0].operations] == ['read']


def test_the_prepare_stage_writes_the_objects_that_runs_read():
    init, prepare = stages(workloads.prepare(ACCESS, '4KB', 100))
    assert [stage.works[0].type for stage in (init, prepare)] == ['init', 'prepare']
    target = prepare.works[0].operations[0].target
    assert (target.objects.low, target.objects.high, target.sizes.low) == (1, 100, 4000)
    name = f'{target.cprefix}{target.containers.low}{target.csuffix}'
    assert name == workloads.container_name('4KB') == 'swift-lb-evaluate-4kb-1'


def test_the_clean_up_workload_disposes_of_the_container():
    [dispose] = stages(workloads.clean(ACCESS, '4KB'))
    [operation] = dispose.works[0].operations
    assert operation.type == 'dispose'
    assert operation.target.cprefix == 'swift-lb-evaluate-4kb-'


def test_all_workers_of_a_run_share_one_login():
    work = stages(workloads.mixed(ACCESS, '4KB', 1, (3, 12), 80, 100))[0].works[0]
    assert work.auth.type == 'swauth'
    assert work.auth.settings['username'] == 'test:tester'
    assert work.auth.settings['caching']


def test_a_login_with_a_project_uses_keystone_3():
    access = workloads.login('http://keystone:5000/v3', 'me', 'secret', 'demo')
    work = stages(workloads.mixed(access, '4KB', 1, (3, 12), 80, 100))[0].works[0]
    assert (work.auth.type, work.auth.settings['version']) == ('keystone', 3)
    assert work.auth.settings['tenant_name'] == 'demo'


def test_an_account_that_needs_no_token_is_used_without_login():
    access = workloads.open_to_all(['http://127.0.0.1:8080/v1/AUTH_test'])
    work = stages(workloads.mixed(access, '4KB', 1, (3, 12), 80, 100))[0].works[0]
    assert work.auth.type == 'none'
    assert work.storage.settings['storage_url'] == ('http://127.0.0.1:8080/v1/AUTH_test',)


@pytest.mark.parametrize('key', ['"<&>', "it's", 'a=b', 'ü'])
def test_the_users_key_may_contain_special_characters(key):
    access = workloads.login('http://a/auth', 'me', key)
    work = stages(workloads.mixed(access, '4KB', 1, (3, 12), 80, 100))[0].works[0]
    assert work.auth.settings['password'] == key


def test_a_key_with_a_semicolon_is_refused_and_not_shown():
    with pytest.raises(ConfigError, match='password: must not hold a ;') as refused:
        workloads.login('http://a/auth', 'me', 'sec;ret')
    assert 'sec' not in str(refused.value)
