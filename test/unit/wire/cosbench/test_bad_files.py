"""Faults of a workload file are reported all at once, by line, with the correction."""
import tracemalloc

import pytest
from unit.wire.cosbench.workloads import (
    READ,
    faults_of,
    with_access,
    with_operation,
    with_stages,
    with_work,
)

from swift_lb.wire.cosbench.elements import MAX_FILE
from swift_lb.wire.cosbench.read import examine

READ_OF = READ.replace('config', 'ratio="{}" config')
LAUGHS = b'''<?xml version="1.0"?>
<!DOCTYPE lolz [ <!ENTITY a "lol"> <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"> ]>
<workload name="&c;"/>'''
DOCTYPE = ('a document type (<!DOCTYPE) is not allowed; remove it, and write out any entity it '
           'defines')


@pytest.mark.parametrize(('data', 'fault'), [
    (b'', 'line 1: the file is empty; a workload begins with <workload name="...">'),
    (b'<workload name="w">\n<workflow>\n</workload>',
     'line 3: the XML is not well-formed at column 3: mismatched tag'),
    (b'<workload name="w">', 'line 1: the XML is not well-formed at column 20: no element found'),
    (b'<workload name="a" name="b"/>',
     'line 1: the XML is not well-formed at column 20: duplicate attribute'),
    (b'<workload name="&nbsp;"/>',
     'line 1: the XML is not well-formed at column 1: undefined entity'),
    (b'<html/>', 'line 1: the file begins with <html>; a COSBench workload begins with '
                 '<workload name="...">'),
    (LAUGHS, f'line 2: {DOCTYPE}'),
    (b'<!DOCTYPE workload SYSTEM "http://10.0.0.1/workload.dtd">\n<workload/>',
     f'line 1: {DOCTYPE}'),
    (b' ' * MAX_FILE, 'line 1: the file is empty; a workload begins with <workload name="...">'),
    (b'<a>\n' * 17, 'line 17: more than 16 elements are nested in each other; a workload has five'),
])
def test_a_file_that_is_no_workload_gets_one_fault(data, fault):
    assert [fault] == faults_of(data)


def test_a_huge_file_is_refused_without_being_parsed():
    data = b'<workload name="w">' + b'<!-- -->' * 6_250_000
    tracemalloc.start()
    faults = faults_of(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 1 == len(faults)
    assert peak < 100_000


@pytest.mark.parametrize(('element', 'faults'), [
    # <work>
    ('<work/>', ['line 2: <work> needs the attribute name="..."',
                 'line 2: <work> has no limit; write runtime="SECONDS", totalOps="NUMBER" or '
                 'totalBytes="NUMBER"',
                 'line 2: <work> needs the attribute workers="..."',
                 'line 2: <work> has no <operation>']),
    *((f'<work name="n" runtime="1" workers="{workers}">{READ}</work>',
       [f'line 2: <work> workers="{workers}" must be a whole number from 1 to 100000'])
      for workers in (0, -8)),
    *((f'<work name="n" workers="1" {name}="{value}">{READ}</work>',
       [f'line 2: <work> {name}="{value}" must be a whole number from {low} to {high}'])
      for name, value, low, high in (
          ('runtime', '1m', 0, 2**31 - 1), ('totalOps', -1, 0, 2**31 - 1),
          ('totalBytes', 2**63, 0, 2**63 - 1))),
    *((f'<work name="n" workers="1" runtime="1" {name}="{value}">{READ}</work>',
       [f'line 2: <work> {name}="{value}" must be a whole number from {low} to {high}'])
      for name, value, low, high in (
          ('rampup', -1, 0, 2**31 - 1), ('rampdown', 'x', 0, 2**31 - 1),
          ('interval', 0, 1, 2**31 - 1), ('afr', 1000001, 0, 1000000))),
    (f'<work name="n" runtime="1" division="objects" workers="1">{READ}</work>',
     ['line 2: <work> division="objects" must be one of none, container, object']),
    (f'<work name="" runtime="1" workers="1">{READ}</work>',
     ['line 2: <work> name="" must not be empty']),
    (f'<work name="n" runtime="0" totalOps="0" workers="1">{READ}</work>',
     ['line 2: <work> has no limit; write runtime="SECONDS", totalOps="NUMBER" or '
      'totalBytes="NUMBER"']),
    *((f'<work name="n" runtime="1" rate="{rate}" workers="1">{READ}</work>',
       [f'line 2: <work> rate="{rate}" must be a number above 0, like 250 or 0.5'])
      for rate in ('0', '-1', '1e9', 'nan', 'inf', '1/s', '')),
    # special works
    ('<work type="init" config="containers=r(1,2)"/>',
     ['line 2: <work> needs the attribute workers="..."']),
    ('<work type="init" workers="1"/>', ['line 2: <work type="init"> config: needs containers=...'
                                         ]),
    ('<work type="prepare" workers="1" config="containers=r(1,2)"/>',
     ['line 2: <work type="prepare"> config: needs objects=...',
      'line 2: <work type="prepare"> config: needs sizes=...']),
    ('<work type="cleanup" workers="1" config="containers=u(1,2);objects=c(1)"/>',
     ['line 2: <work type="cleanup"> config: containers=u(1,2) is not possible where every one of '
      'the containers has its turn; write r(a,b) or a-b',
      'line 2: <work type="cleanup"> config: objects=c(1) is not possible where every one of the '
      'objects has its turn; write r(a,b) or a-b']),
    ('<work type="dispose" workers="1" rate="5" config="containers=s(1,2)"/>',
     ['line 2: <work type="dispose"> can not have a rate; only normal works can',
      'line 2: <work type="dispose"> config: containers=s(1,2) is not possible where every one of '
      'the containers has its turn; write r(a,b) or a-b']),
    # ratios
    (f'<work name="n" runtime="1" workers="1">{READ}{READ}</work>',
     ['line 2: <work>: the ratios of its operations add up to 200; they must add up to 100']),
    (f'<work name="n" runtime="1" workers="1">{READ_OF.format(0)}</work>',
     ['line 2: <work>: the ratios of its operations add up to 0; they must add up to 100']),
])
def test_each_fault_of_a_work_has_a_message_of_its_own(element, faults):
    assert faults == faults_of(with_work(element))


@pytest.mark.parametrize(('operation', 'faults'), [
    ('<operation/>', ['<operation> needs the attribute type="..."']),
    ('<operation type=""/>', ['<operation> type="" must not be empty']),
    ('<operation type="raed"/>',
     ['<operation type="raed"> is no operation; there are read, write, delete, list, filewrite; '
      'did you mean read?']),
    ('<operation type="read" ratio="101" config="containers=c(1);objects=c(1)"/>',
     ['<operation> ratio="101" must be a whole number from 0 to 100']),
    ('<operation type="read" ratio="33.3" config="containers=c(1);objects=c(1)"/>',
     ['<operation> ratio="33.3" must be a whole number from 0 to 100']),
    ('<operation type="read"/>', ['<operation type="read"> config: needs containers=...',
                                  '<operation type="read"> config: needs objects=...']),
    ('<operation type="delete" config="containers=c(1)"/>',
     ['<operation type="delete"> config: needs objects=...']),
    ('<operation type="write" config="containers=c(1);objects=c(1)"/>',
     ['<operation type="write"> config: needs sizes=...']),
    ('<operation type="list" config="objects=c(1)"/>',
     ['<operation type="list"> config: needs containers=...']),
    ('<operation type="filewrite" config="containers=c(1)"/>',
     ['<operation type="filewrite"> config: needs files=...',
      '<operation type="filewrite"> config: needs fileselection=...']),
    ('<operation type="filewrite" config="containers=c(1);files=;fileselection=h"/>',
     ['<operation type="filewrite"> config: files= must not be empty',
      '<operation type="filewrite"> config: fileselection=h must begin with the letter of a '
      'selector: s, r, u or c']),
    ('<operation type="read" config="containers=c(1);objects=r(0,0)"/>',
     ['<operation type="read"> config: objects=r(0,0) selects nothing; COSBench counts from 1']),
    ('<operation type="read" config="containers=r(9,1);objects=x"/>',
     ['<operation type="read"> config: containers=r(9,1) begins at 9, after its end, 1',
      '<operation type="read"> config: objects=x is no selector; write c(n), u(a,b), r(a,b), s(a,b)'
      ' or h(lo|hi|weight,...), without blanks']),
    # division: four workers
    ('<operation type="read" division="object" config="containers=c(1);objects=u(1,3)"/>',
     ['<operation type="read">: division="object" divides 3 objects between 4 workers; each needs '
      'one at least']),
    ('<operation type="read" division="container" config="containers=r(7,9);objects=u(1,3)"/>',
     ['<operation type="read">: division="container" divides 3 containers between 4 workers; each '
      'needs one at least']),
    ('<operation type="list" division="none" config="containers=r(7,9)"/>',
     ['<operation type="list">: a list of containers divides 3 containers between 4 workers; each '
      'needs one at least']),
    ('<operation type="list" config="containers=h(1|9|1)"/>',
     ['<operation type="list"> config: containers=h(...) can not be divided between workers; use '
      'another selector, as a list always divides them']),
    ('<operation type="read" division="object" config="containers=c(1);objects=h(1|9|1)"/>',
     ['<operation type="read"> config: objects=h(...) can not be divided between workers; use '
      'another selector or division="none"']),
    (f'<operation type="read" config="containers=c(1);objects=c(1);oprefix={"x" * 4096}"/>',
     ['<operation type="read"> config: must not be longer than 4096 characters',
      '<operation type="read"> config: needs containers=...',
      '<operation type="read"> config: needs objects=...']),
])
def test_each_fault_of_an_operation_has_a_message_of_its_own(operation, faults):
    assert [f'line 2: {fault}' for fault in faults] == faults_of(with_operation(operation))


@pytest.mark.parametrize(('access', 'faults'), [
    ('<auth/>', ['<auth> needs the attribute type="..."']),
    ('<storage type="swfit"/>',
     ['<storage> type="swfit": swift-lb knows none, mock, swift; did you mean swift?']),
    ('<auth type="swauth"/>', ['<auth type="swauth"> config: needs username=...',
                               '<auth type="swauth"> config: needs password=...']),
    ('<auth type="swauth" config="username=u;password=p;auth_url=10.0.0.1:8080"/>',
     ['<auth type="swauth"> config: auth_url=10.0.0.1:8080 must be a URL, like '
      'http://127.0.0.1:8080/auth/v1.0']),
    ('<auth type="swauth" config="username=u;password=p;timeout=0"/>',
     ['<auth type="swauth"> config: timeout=0 must be a whole number of milliseconds, 1 or more']),
    ('<auth type="swauth" config="username=u;password=p;retry=-1;caching=maybe"/>',
     ['<auth type="swauth"> config: retry=-1 must be a whole number from 0 to 1000',
      '<auth type="swauth"> config: caching=maybe must be true or false']),
    ('<auth type="none" config="retry=1001"/>',
     ['<auth type="none"> config: retry=1001 must be a whole number from 0 to 1000']),
    ('<auth type="keystone" config="username=u;password=p"/>',
     ['<auth type="keystone"> config: needs tenant_name=...']),
    ('<auth type="keystone" config="username=u;password=p;project=t;version=4"/>',
     ['<auth type="keystone"> config: version=4 must be a whole number from 2 to 3']),
    ('<auth type="keystone" config="username=u;password=p;project=t;version=2;url=http://h/v3"/>',
     ['<auth type="keystone"> config: version=2 does not go with auth_url=http://h/v3; leave out '
      'one of the two']),
    ('<storage type="mock" config="size=-1;delay=1s;errors=2"/>',
     ['<storage type="mock"> config: size=-1 must be a whole number from 0 to 2147483647',
      '<storage type="mock"> config: delay=1s must be a whole number of milliseconds, 0 or more',
      '<storage type="mock"> config: errors=2 must be a probability from 0 to 1']),
    ('<storage type="swift" config="token=\N{EURO SIGN};policy=\N{EURO SIGN}"/>',
     [f'<storage type="swift"> config: {key}=\N{EURO SIGN} must be ASCII, as it goes into an HTTP '
      'header' for key in ('token', 'policy')]),
    ('<auth type="mock" config="token=\N{EURO SIGN}"/>',
     ['<auth type="mock"> config: token=\N{EURO SIGN} must be ASCII, as it goes into an HTTP '
      'header']),
    *((f'<storage type="swift" config="storage_url={url}"/>',
       [f'<storage type="swift"> config: storage_url={url} must be a URL, like '
        'http://127.0.0.1:8080/auth/v1.0'])
      for url in ('', 'ftp://h/v1/AUTH_x', 'http://', 'http://h:99999/', 'http://h:0/',
                  'http://[::1/', 'http://\N{EURO SIGN}/', 'http://a/,b', 'http://a b/',
                  'http://a/,')),
])
def test_each_fault_of_auth_or_storage_has_its_own_message(access, faults):
    assert [f'line 2: {fault}' for fault in faults] == faults_of(with_access(access))


@pytest.mark.parametrize(('data', 'faults'), [
    (b'<workload/>', ['line 1: <workload> needs the attribute name="..."',
                      'line 1: <workload> has no <workflow>']),
    (b'<workload name="w"><workflow/></workload>', ['line 1: <workflow> has no <workstage>']),
    (b'<workload name="w"><workflow/>\n<workflow/></workload>',
     ['line 1: <workflow> has no <workstage>',
      'line 2: <workflow>: there is one in this <workload> already, in line 1']),
    (b'<workload name="w"><workflow><auth type="none"/>\n<workload/></workflow></workload>',
     ['line 1: <auth> does not belong in <workflow>; it goes into <workload> or <workstage> or '
      '<work>', 'line 1: <workflow> has no <workstage>',
      'line 2: <workload> does not belong in <workflow>; it goes into nothing']),
    (with_access('<storage type="mock"/>\n<storage type="none"/>'),
     ['line 3: <storage>: there is one in this <workload> already, in line 2']),
    (with_stages('<workstage/>'), ['line 2: <workstage> needs the attribute name="..."',
                                   'line 2: <workstage> has no <work>']),
    (with_stages('<workstage name="a;b" closuredelay="-1"/>'),
     ['line 2: <workstage> name="a;b" must not have a ";" in it, which separates names for '
      'COSBench',
      'line 2: <workstage> closuredelay="-1" must be a whole number from 0 to 2147483647',
      'line 2: <workstage> has no <work>']),
])
def test_each_fault_of_a_files_structure_has_its_own_message(data, faults):
    assert faults == faults_of(data)


def test_all_faults_of_a_file_are_reported_at_once_by_line():
    work = '<work name="n" workers="{}" runtime="1">\n<operation type="read" config="{}"/></work>\n'
    data = with_stages('<workstage name="s">\n' + work.format(0, 'objects=c(1)')
                       + work.format(1, 'containers=c(1);objects=c') + '</workstage>',
                       inside='<auth type="x"/>')
    assert [1, 3, 4, 6] == [int(fault.split()[1].rstrip(':')) for fault in faults_of(data)]


def test_a_file_with_1000_bad_works_gets_at_most_101_faults():
    faults = faults_of(with_work('<work/>' * 1000))
    assert 4 < len(faults) <= 101
    assert faults[-1].endswith('more faults')


def test_a_file_of_40000_unknown_names_gets_101_warnings():
    # 40,000 unknown attributes and keys: it would take minutes to look for what each one may mean
    attributes = ' '.join(f'attribute{number}=""' for number in range(20_000))
    elements = '<operatoin/>' * 20_000
    workload, faults, warnings = examine(with_operation(f'<operation {attributes}>{elements}'
                                                     '</operation>'))
    assert workload is None
    assert faults
    assert 101 == len(warnings)
    assert warnings[-1] == 'line 2: and 39900 more warnings'


def test_an_inherited_config_of_over_4096_characters_is_a_fault():
    # each of 4,000 operations would inherit them
    config = ';'.join(f'key{number}=' for number in range(400))
    operations = '<operation type="read" ratio="0" config="objects=c(1)"/>' * 4000
    data = with_stages(f'<workstage name="s" config="{config}"><work name="n" workers="1" '
                       f'runtime="1">{operations}</work></workstage>')
    assert ['line 2: <work>: the ratios of its operations add up to 0; they must add up to 100'] \
        == faults_of(data)
    twice = ';'.join(f'other{number}=' for number in range(400))
    data = with_stages(f'<workstage name="s" config="{config}"><work name="n" workers="1" '
                       f'runtime="1" config="{twice}">{READ}</work></workstage>')
    assert ['line 2: <work> config: must not be longer than 4096 characters with what it inherits'
            ] == faults_of(data)
