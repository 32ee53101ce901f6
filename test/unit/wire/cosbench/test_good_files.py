"""The meaning of a workload file: defaults, inheritance, special works, settings, warnings."""
import pickle
from pathlib import Path

import pytest
from unit.wire.cosbench.workloads import (
    READ,
    first_work,
    warnings_of,
    with_access,
    with_operation,
    with_stages,
    with_work,
)

from swift_lb.wire.cosbench.model import Operation, Selector, Target, Work
from swift_lb.wire.cosbench.read import read
from swift_lb.wire.cosbench.write import normalised

CASES = sorted((Path(__file__).resolve().parents[3] / 'cases' / 'cosbench').glob('*.xml'))
SPECIAL = {'init': 'containers=r(1,2)', 'dispose': 'containers=1-2',
           'prepare': 'containers=r(1,2);objects=r(1,3);sizes=c(1)KB',
           'cleanup': 'containers=r(1,2);objects=1-3'}

KEYSTONE = {'auth_url': 'http://127.0.0.1:5000/v2.0', 'username': 'u', 'password': 'p',
            'tenant_name': 't', 'service': 'swift', 'timeout': 10.0, 'version': 2,
            'user_domain': 'Default', 'project_domain': 'Default', 'region': '',
            'insecure': False, 'cacert': None}


@pytest.mark.parametrize('path', CASES, ids=lambda path: path.stem)
def test_complete_files_are_read_and_rewritten_without_warnings(path):
    workload, noted = read(path.read_bytes())
    assert () == noted
    again, noted = read(normalised(workload).encode())
    assert () == noted
    assert workload == again
    assert normalised(workload) == normalised(again)
    assert workload == pickle.loads(pickle.dumps(workload))   # it goes to the drivers


def test_omitted_attributes_and_keys_have_cosbenchs_defaults():
    work = first_work(with_work(f'<work name="n" workers="3" runtime="9">{READ}</work>'))
    access, one = {'auth': work.auth, 'storage': work.storage}, Selector('constant', 1, 1)
    assert {'none'} == {each.type for each in access.values()}
    assert work == Work(
        'n', 'normal', 3, 5, 'none', 9, 0, 0, 0, 0, 200_000, '', None, True, **access,
        operations=(Operation('read', 100, 'none', 'containers=c(1);objects=c(1)', 'op1', 'read',
                              Target(one, 'mycontainers', '', one, 'myobjects', '', None, 'random',
                                     False, False)),))


def test_the_keys_of_a_write_operation_are_read():
    config = ('containers=u(1,2);cprefix=a;csuffix=b;objects=s(1,2);oprefix=c/;osuffix=.d;'
              'sizes=u(1,2)KB;content=zero;chunked=TRUE;hashCheck=yes')
    work = first_work(with_operation(f'<operation type="write" config="{config}"/>',
                                     'workers="1" rate="0.5"'))
    assert 0.5 == work.rate
    assert work.operations[0].target == Target(
        Selector('uniform', 1, 2), 'a', 'b', Selector('sequential', 1, 2), 'c/', '.d',
        Selector('uniform', 1000, 2000, (), 1000), 'zero', True, True)


@pytest.mark.parametrize(('written', 'kind'), [
    ('s', 'sequential'), ('r(1,5)', 'range'), ('uniform', 'uniform'), ('c', 'constant')])
def test_fileselection_is_read_by_its_first_letter(written, kind):
    target = first_work(with_operation(
        '<operation type="filewrite" config="containers=c(1);files=/tmp/x;'
        f'fileselection={written}"/>')).operations[0].target
    assert ('/tmp/x', kind) == (target.files, target.fileselection)


@pytest.mark.parametrize('kind', SPECIAL)
def test_special_works_get_their_limits_and_one_operation(kind):
    work = first_work(with_work(f'<work type="{kind}" workers="7" config="{SPECIAL[kind]}"/>'))
    division = 'container' if kind in ('init', 'dispose') else 'object'
    assert (kind, kind, 7, division) == (work.name, work.type, work.workers, work.division)
    assert (0, 7, 0, 0) == (work.runtime, work.total_ops, work.total_bytes, work.afr)
    operation, = work.operations
    assert (kind, 100, division, 'op1', kind) == (
        operation.type, operation.ratio, operation.division, operation.id, operation.name)


@pytest.mark.parametrize(('kind', 'key'), [
    ('prepare', 'createContainer'), ('cleanup', 'deleteContainer')])
def test_prepare_and_cleanup_leave_containers_alone_by_default(kind, key):
    for more, changes in (('', False), (f';{key}=true', True)):
        operation, = first_work(with_work(f'<work type="{kind}" workers="1" '
                                          f'config="{SPECIAL[kind]}{more}"/>')).operations
        assert operation.config.startswith(f'{key}={str(changes).lower()};')
        assert changes == (operation.target.create_container or operation.target.delete_container)


def test_configs_are_inherited_and_the_innermost_value_wins():
    data = (b'<workload name="w" config="cprefix=1;csuffix=1;oprefix=1;osuffix=1;containers=1-1">'
            b'<workflow config="csuffix=2;oprefix=2;osuffix=2;objects=2-2">'
            b'<workstage name="s" config="oprefix=3;osuffix=3;content=zero">'
            b'<work name="n" workers="1" runtime="1" config="osuffix=4;histogram=false">'
            b'<operation type="write" config="sizes=c(5)B;osuffix=5"/></work></workstage>'
            b'<workstage name="t"><work type="init" workers="1"/></workstage>'
            b'</workflow></workload>')
    workload = read(data).workload
    work = workload.stages[0].works[0]
    what = work.operations[0].target
    assert ('1', '2', '3', '5') == (what.cprefix, what.csuffix, what.oprefix, what.osuffix)
    assert ('zero', 1, 2, 5) == (what.content, what.containers.low, what.objects.low,
                                 what.sizes.low)
    assert work.histogram is False
    assert work.config == ('cprefix=1;csuffix=2;oprefix=3;osuffix=4;containers=1-1;objects=2-2;'
                           'content=zero;histogram=false')
    assert '2' == workload.stages[1].works[0].operations[0].target.csuffix
    assert workload == read(normalised(workload).encode()).workload


def test_the_innermost_auth_and_storage_elements_apply():
    data = (f'<workload name="w"><auth type="mock" config="token=top"/><storage type="mock"/>'
            f'<workflow><workstage name="a"><work name="n" workers="1" runtime="1">'
            f'<storage type="none"/>{READ}</work></workstage>'
            f'<workstage name="b"><auth type="mock" config="delay=7"/><work name="n" workers="1" '
            f'runtime="1">{READ}</work><work name="m" workers="1" runtime="1">{READ}'
            f'<auth type="none"/></work></workstage></workflow></workload>').encode()
    workload = read(data).workload
    assert [('mock', 'none', 'token=top'), ('mock', 'mock', 'delay=7'), ('none', 'mock', '')] == [
        (work.auth.type, work.storage.type, work.auth.config)
        for stage in workload.stages for work in stage.works]
    assert 'token' == workload.stages[1].works[0].auth.settings['token']   # not the one further up
    assert workload == read(normalised(workload).encode()).workload


def test_operations_with_ratio_0_get_no_id():
    work = ('<work name="n" workers="1" runtime="1" config="containers=c(1);objects=c(1);'
            'sizes=c(1)B"><operation type="read" ratio="60"/><operation type="write" ratio="0"/>'
            '<operation type="delete" ratio="40"/></work>')
    stage = f'<workstage name="s">{work}{work}</workstage>'
    workload = read(with_stages(stage + stage)).workload
    assert [['op1', 'op2'], ['op3', 'op4'], ['op1', 'op2'], ['op3', 'op4']] == [
        [operation.id for operation in work.operations]
        for stage in workload.stages for work in stage.works]
    assert ['s1-s', 's2-s'] == [stage.id for stage in workload.stages]


@pytest.mark.parametrize(('operations', 'names'), [
    (('read', 'write'), ('read', 'write')),
    (('read', 'read'), ('1-read', '2-read')),
    (('read', 'read', 'write'), ('1-read', '2-read', '1-write')),   # as COSBench: all, then
    (('read', 'read;name=cold', 'read'), ('1-read', 'cold', '3-read')),
    (('read;name=hot', 'write'), ('hot', 'write')),
])
def test_operations_of_the_same_type_get_numbered_names(operations, names):
    ratios = [100 - len(operations) + 1, *[1] * (len(operations) - 1)]
    xml = ''.join('<operation type="{}" ratio="{}" config="{}"/>'.format(
        kind.partition(';')[0], ratio, kind.partition(';')[2])
        for kind, ratio in zip(operations, ratios, strict=True))
    work = first_work(with_work('<work name="n" workers="1" runtime="1" config="containers=c(1);'
                                f'objects=c(1);sizes=c(1)B">{xml}</work>'))
    assert names == tuple(operation.name for operation in work.operations)


@pytest.mark.parametrize(('operation', 'division'), [   # four workers
    ('type="read" config="containers=r(1,2);objects=r(1,4)"', 'object'),   # the work's
    ('type="read" division="none" config="containers=r(1,2);objects=r(1,2)"', 'none'),
    ('type="read" division="container" config="containers=r(1,4);objects=r(1,2)"', 'container'),
    ('type="read" config="containers=r(1,2);objects=c(1)"', 'object'),     # c ignores it
    ('type="read" config="containers=r(1,2);objects=s(1,2)"', 'object'),   # s as well
    # containers that are listed are divided
    ('type="list" division="none" config="containers=u(1,4)"', 'container'),
    ('type="list" division="none" config="containers=c(1)"', 'none'),
    ('type="list" config="containers=r(1,9);objects=r(1,5)"', 'none'),     # never
])
def test_operations_get_the_division_that_cosbench_applies(operation, division):
    work = first_work(with_operation(f'<operation {operation}/>', 'workers="4" division="object"'))
    assert division == work.operations[0].division


@pytest.mark.parametrize(('access', 'expected'), [
    ('<auth type="none"/>', {'logging': False, 'caching': False, 'retry': 0}),
    ('<auth type="mock"/>', {'token': 'token', 'delay': 0.01}),
    ('<auth type="mock" config="token=t;delay=20"/>', {'token': 't', 'delay': 0.02}),
    ('<auth type="swauth" config="username=a:b;password=c"/>',
     {'auth_url': 'http://127.0.0.1:8080/auth/v1.0', 'username': 'a:b', 'password': 'c',
      'timeout': 30.0, 'insecure': False, 'cacert': None}),
    ('<auth type="tempauth" config="username=a;password=b=c;url=https://h/;timeout=500;retry=3;'
     'caching=true;logging=on;insecure=true;cacert=/etc/ca.pem"/>',
     {'auth_url': 'https://h/', 'username': 'a', 'password': 'b=c', 'timeout': 0.5, 'retry': 3,
      'caching': True, 'logging': True, 'insecure': True, 'cacert': '/etc/ca.pem'}),
    ('<auth type="swauth" config="auth_url=http://a/;username=u;password=;url=http://b/"/>',
     {'auth_url': 'http://a/', 'username': 'u', 'password': ''}),
    ('<auth type="keystone" config="username=u;password=p;tenname=t"/>',
     KEYSTONE),
    ('<auth type="keystone" config="username=u;password=p;project=t;url=http://h:5000/v3/;'
     'user_domain=d;project_domain=e;region=r;service=object-store"/>',
     KEYSTONE | {'auth_url': 'http://h:5000/v3/', 'service': 'object-store', 'version': 3,
                 'user_domain': 'd', 'project_domain': 'e', 'region': 'r'}),
    ('<auth type="keystone" config="username=u;password=p;project=t;url=http://h/identity;'
     'version=3"/>', KEYSTONE | {'version': 3, 'auth_url': 'http://h/identity'}),
    ('<storage type="none"/>', {'logging': True}),
    ('<storage type="mock"/>', {'logging': True, 'size': 1000, 'delay': 0.01, 'errors': 0.0,
                                'printing': False, 'doStats': False}),
    ('<storage type="mock" config="logging=false;size=0;delay=0;errors=0.25;printing=true;'
     'doStats=true"/>', {'logging': False, 'size': 0, 'delay': 0.0, 'errors': 0.25,
                         'printing': True, 'doStats': True}),
    ('<storage type="swift"/>',
     {'logging': True, 'timeout': 30.0, 'token': 'AUTH_xxx', 'policy': None, 'insecure': False,
      'storage_url': ('http://127.0.0.1:8080/auth/v1.0',), 'cacert': None}),
    ('<storage type="swift" config="timeout=1500;token=x;storage_url=https://a:443/v1/AUTH_t, '
     'http://[::1]:8080/v1/AUTH_t;policy=gold;insecure=yes;cacert=ca.pem"/>',
     {'logging': True, 'timeout': 1.5, 'token': 'x', 'policy': 'gold', 'insecure': True,
      'storage_url': ('https://a:443/v1/AUTH_t', 'http://[::1]:8080/v1/AUTH_t'),
      'cacert': 'ca.pem'}),
])
def test_settings_of_auth_and_storage_are_read(access, expected):
    workload = read(with_access(access)).workload
    if access.startswith('<storage'):
        assert expected == workload.storage.settings
    else:
        assert expected.items() <= workload.auth.settings.items()


@pytest.mark.parametrize('encoding', ['utf-8', 'iso-8859-1', 'windows-1252'])
def test_non_ascii_names_are_read_in_the_declared_encoding(encoding):
    text = with_operation(READ).decode().replace('<workload name="w"', '<workload name="wörk"')
    data = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
    assert 'wörk' == read(data).workload.name


@pytest.mark.parametrize(('data', 'expected'), [
    (with_stages(f'<workstage name="s"><work name="n" workers="1" runtime="1" ramupp="3">{READ}'
                 '</work></workstage>', 'Name="x"'),
     ['<workload>: the attribute Name is unknown and ignored; did you mean name?',
      '<work>: the attribute ramupp is unknown and ignored; did you mean rampup?']),
    (with_work(f'<work name="n" workers="1" runtime="1">{READ}<operatoin type="read"/></work>'),
     ['<work>: the element <operatoin> is unknown and ignored; did you mean <operation>?']),
    (with_operation('<operation type="read" config="hashcheck=true;containers=c(1);objects=c(1);'
                    'zzz=1;foo; ;=3"/>'),
     ['<operation type="read"> config: key hashcheck is unknown and ignored; did you mean '
      'hashCheck?', '<operation type="read"> config: key zzz is unknown and ignored',
      '<operation type="read"> config: foo is not key=value and is ignored',
      '<operation type="read"> config: =3 is not key=value and is ignored']),
    (with_operation('<operation type="read" config="containers=c(1);objects=c(1);objects=c(2);'
                    'cprefix=a;cprefix=a"/>'),
     ['<operation type="read"> config: objects is written more than once; the last value counts, '
      'c(2)']),
    (with_operation(READ.replace('c(1)"', 'c(1);content=ones;name=a,b"')),
     ['<operation type="read"> config: content=ones is neither random nor zero; taken for random',
      '<operation type="read"> config: name=a,b will confuse readers of the CSV files, in which '
      'nothing is quoted']),
    # an inherited key has one warning
    (with_stages(f'<workstage name="s" config="oprefx=x"><work name="n" workers="1" runtime="1">'
                 f'{READ}</work><work name="m" workers="1" runtime="1">{READ}</work></workstage>'),
     ['<workstage> config: key oprefx is unknown and ignored; did you mean oprefix?']),
    (with_work(f'<work name="n" type="prepair" workers="1" runtime="1">{READ}</work>'),
     ['<work> type="prepair" is none of normal, init, prepare, cleanup, dispose; taken for '
      'normal, as COSBench does; did you mean prepare?']),
    (with_work(f'<work name="n" workers="1" totalOps="1" rampup="5" rampdown="6">{READ}</work>'),
     ['<work> rampup="5" is ignored without a runtime',
      '<work> rampdown="6" is ignored without a runtime']),
    (with_work(f'<work name="a,b" workers="1" runtime="1" driver="driver1">{READ}</work>'),
     ['<work> driver="driver1" is ignored: the workers are spread over all drivers',
      '<work> name="a,b" has a comma in it, which will confuse readers of the CSV files']),
    (with_work('<work type="init" workers="2" runtime="9" totalOps="5" totalBytes="6" '
               'division="object" config="containers=r(1,2)"/>'),
     ['<work type="init"> totalOps="5" is ignored: it is always 2 there',
      '<work type="init"> runtime="9" is ignored: it is always 0 there',
      '<work type="init"> totalBytes="6" is ignored: it is always 0 there',
      '<work type="init"> division="object" is ignored: it is always container there']),
    (with_work('<work type="init" workers="2" config="containers=r(1,2)">'
               '<operation type="read" config="containers=r(1,2)"/></work>'),
     ['<operation> is ignored in a work of type init; write its config into that of the <work>']),
    (with_work('<work type="init" workers="2" config="containers=r(1,2)">'
               '<operation type="init" config="cprefix=x"/></work>'),
     ['<operation> is ignored in a work of type init; write its config into that of the <work>']),
    (with_stages(f'<workstage name="a,b" trigger="x.sh"><work name="n" workers="1" runtime="1">'
                 f'{READ}</work></workstage>', 'trigger="y.sh"'),
     ['<workload> trigger="y.sh" is ignored: swift-lb runs no scripts',
      '<workstage> trigger="x.sh" is ignored: swift-lb runs no scripts',
      '<workstage> name="a,b" will confuse readers of the CSV files, in which nothing is quoted']),
    (with_operation('<operation type="list" division="object" '
                    'config="containers=c(1);objects=r(1,9)"/>'),
     ['<operation type="list">: division="object" is ignored, as COSBench does where objects are '
      'listed']),
    (with_access('<auth type="keystone" config="username=u;password=p;project=t;user_domain=d"/>'),
     ['<auth type="keystone"> config: user_domain is of version 3 of the API and is ignored; write '
      'version=3']),
    (with_access('<storage type="swift" config="storageurl=x;size=3"/>'),
     ['<storage type="swift"> config: key storageurl is unknown and ignored; did you mean '
      'storage_url?', '<storage type="swift"> config: key size is unknown and ignored']),
])
def test_each_ignored_or_odd_part_of_a_file_gets_a_warning(data, expected):
    assert expected == warnings_of(data)


def test_files_that_cosbench_normalised_are_read_without_warnings():
    # its normalised files repeat what is inherited, and have operations in special works
    data = with_work('<work name="prepare" type="prepare" workers="1" interval="5" '
                     'division="object" runtime="0" rampup="0" rampdown="0" afr="0" '
                     'totalOps="1" totalBytes="0" '
                     f'config="{SPECIAL["prepare"]}"><operation type="prepare" ratio="100" '
                     f'division="object" config="{SPECIAL["prepare"]};createContainer=false;'
                     f'{SPECIAL["prepare"]}" id="op1"/></work>')
    assert [] == warnings_of(data)
    data = with_work('<work name="init" type="init" workers="1" config="containers=r(1,2)">'
                     '<operation type="init" ratio="100" config="containers=r(1,2);objects=r(0,0);'
                     'sizes=c(0)B;containers=r(1,2)"/></work>')
    assert [] == warnings_of(data)
