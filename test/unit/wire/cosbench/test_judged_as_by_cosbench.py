"""Odd files: those that COSBench refuses, and those that it reads in its own way."""
import pytest
from unit.wire.cosbench.workloads import (
    READ,
    faults_of,
    first_work,
    with_access,
    with_operation,
    with_stages,
    with_work,
)

from swift_lb.wire.cosbench.read import examine, read

WORK = f'<work name="n" workers="1" runtime="1">{READ}</work>'
GOOD = with_work(WORK)
FILEWRITE = '<operation type="filewrite" config="containers=c(1);files={};fileselection=r"/>'
DELAY = ('<work type="delay"> ends a workload TERMINATED in COSBench; remove it, and for a pause '
         'write closuredelay="SECONDS" on the <workstage> before')
MARK = ('line 1: the file begins with a byte order mark, which COSBench refuses; save it as UTF-8 '
        'without one')
WIDE = 'line 1: the file is UTF-16 or UTF-32, which COSBench refuses; save it as UTF-8'
XMLNS = '{} has an xmlns="..."; COSBench leaves out elements of a namespace; remove the xmlns'
TEXT = '{}: there is text in it, which COSBench refuses; remove it, or make it a comment'
SHOULD_BE = ('no selector; write c(n), u(a,b), r(a,b), s(a,b) or h(lo|hi|weight,...), without '
             'blanks')


def warnings(data):
    """Return what is warned about in a file, without the line numbers."""
    return [warning.partition(': ')[2] for warning in read(data).warnings]


def of_read(config, attributes=''):
    """Return a file with one read operation of `config`."""
    return with_operation(f'<operation type="read" {attributes} config="{config}"/>')


def two(wrong, attributes='ratio="0"'):
    """Return a file with a read operation, and before it one with a ratio of 0."""
    return with_operation(f'<operation {attributes} {wrong}/>{READ}')


@pytest.mark.parametrize(('data', 'faults'), [
    # a delay ends a workload, wherever it is
    (with_work('<work type="delay"/>'), [f'line 2: {DELAY}']),
    (with_work('<work type="delay" workers="1"/>'), [f'line 2: {DELAY}']),
    (with_work(f'{WORK}\n<work type="delay" workers="1"/>'), [f'line 3: {DELAY}']),
    (with_stages('<workstage name="delay" closuredelay="9">\n<work type="delay" workers="1"/>'
                 '</workstage>'), [f'line 3: {DELAY}']),
    (with_stages(f'<workstage name="delay" closuredelay="9">{WORK}</workstage>'),
     ['line 2: <workstage> name="delay" with a closuredelay: COSBench does none of its works and '
      'ends the workload TERMINATED; write another name']),
    (with_access('<storage type="mock" config="size=5\N{NO-BREAK SPACE}"/>'),
     [r'line 2: <storage type="mock"> config: size=5\xa0 must be a whole number from 0 to '
      '2147483647']),
    # COSBench prepares a scanner of objects, and a size, for an init work as well
    *((with_work(f'<work type="{kind}" workers="1" config="containers=r(1,2);objects=u(1,9)"/>'),
       [f'line 2: <work type="{kind}"> config: objects=u(1,9) is not possible where every one of '
        'the objects has its turn; write r(a,b) or a-b']) for kind in ('init', 'dispose')),
    (with_work('<work type="init" workers="1" config="containers=r(1,2);sizes=4"/>'),
     ['line 2: <work> config: sizes=4 is no size; write a selector and a unit, like c(64)KB: GB, '
      'MB, KB or B, and a KB is 1000 bytes']),
    (with_work('<work type="init" workers="1" config="containers=r(1,2)">'
               '<operation type="init" ratio="x"/></work>'),
     ['line 2: <operation> ratio="x" must be a whole number from 0 to 100']),
    # bytes
    *((GOOD.decode().encode(encoding), [MARK]) for encoding in ('utf-8-sig', 'utf-16', 'utf-32')),
    (b'\xfe\xff' + GOOD.decode().encode('utf-16-be'), [MARK]),
    *((GOOD.decode().encode(encoding), [WIDE]) for encoding in (
        'utf-16-le', 'utf-16-be', 'utf-32-le', 'utf-32-be')),
    # namespaces
    (with_stages(f'<workstage name="s">{WORK}</workstage>', 'xmlns="http://cosbench"'),
     [f'line 1: {XMLNS.format("<workload>")}']),
    (with_access('<auth type="none" xmlns="x"/>'), [f'line 2: {XMLNS.format("<auth>")}']),
    (with_access('<c:auth type="none" xmlns:c="x"/>'),
     ['line 2: <c:auth> is of a namespace; COSBench leaves out elements of a namespace; write '
      '<auth>']),
    # text
    (with_operation(f'hello {READ}'), [f'line 2: {TEXT.format("<work>")}']),
    (with_access('<auth type="none">\n\n x</auth>'), [f'line 4: {TEXT.format("<auth>")}']),
    (with_stages(f'<workstage name="s">{WORK}</workstage>', inside='\n<![CDATA[x]]>'),
     [f'line 2: {TEXT.format("<workload>")}']),
    (with_operation(f'{READ}&#160;'), [f'line 2: {TEXT.format("<work>")}']),
])
def test_files_that_cosbench_refuses_are_refused(data, faults):
    assert faults == faults_of(data)


@pytest.mark.parametrize(('data', 'expected'), [
    # selectors and sizes: see test_selectors.py and test_judgements_in_the_manual.py
    (of_read('containers= c(1) ;objects=c(1)\N{NO-BREAK SPACE}'),
     [r'<operation type="read"> config: objects=c(1)\xa0 is read as c(1), as COSBench reads it']),
    (with_work('<work type="prepare" workers="1" config="containers=1-2-3;objects=r(1,5)x;'
               'sizes=c(1)B"/>'),
     ['<work> config: containers=1-2-3 is read as r(1,2), as COSBench reads it',
      '<work> config: objects=r(1,5)x is read as r(1,5), as COSBench reads it']),
    # numbers
    (with_work(f'<work name="n" workers=" 2 " runtime="\t1" totalOps="">{READ}</work>'),
     ['<work> workers=" 2 " is read as 2, as COSBench reads it',
      '<work> runtime=" 1" is read as 1, as COSBench reads it',
      '<work> totalOps="" is read as 0, as COSBench reads it']),
    (with_stages(f'<workstage name="s" closuredelay=" +3">{WORK}</workstage>'),
     ['<workstage> closuredelay=" +3" is read as 3, as COSBench reads it']),
    # an operation with a ratio of 0
    (two('type="raed"'), ['<operation type="raed"> is no operation; it is left out, as its ratio '
                          'is 0']),
    (two('type="write" config="objects=x"'),
     [f'<operation type="write"> config: objects=x is {SHOULD_BE}; ignored, as it is not used']),
    (two('type="read" division="objects"'),
     ['<operation> division="objects" must be one of none, container, object; ignored, as it is '
      'not used']),
    (two('type="write"'), []),
    (two('type="raed" config="objects=x"', 'ratio=" "'),
     ['<operation> ratio=" " is read as 0, as COSBench reads it',
      '<operation type="raed"> is no operation; it is left out, as its ratio is 0',
      f'<operation type="raed"> config: objects=x is {SHOULD_BE}; ignored, as it is not used']),
    # what is written again, or not used
    (of_read('containers=x;objects=c(1);containers=c(2)'),
     ['<operation type="read"> config: containers is written more than once; the last value '
      'counts, c(2)', '<operation type="read"> config: containers=x is '
      f'{SHOULD_BE}; ignored, as it is not used']),
    (with_work(f'<work name="n" workers="1" runtime="1" config="objects=x">{READ}</work>'),
     [f'<work> config: objects=x is {SHOULD_BE}; ignored, as it is not used']),
    (of_read('containers=c(1);objects=c(1);sizes=4;chunked=maybe'),
     ['<operation type="read"> config: sizes=4 is no size; write a selector and a unit, like '
      'c(64)KB: GB, MB, KB or B, and a KB is 1000 bytes; ignored, as it is not used',
      '<operation type="read"> config: chunked=maybe must be true or false; ignored, as it is '
      'not used']),
    (with_operation(READ, 'workers="1" division="x"').replace(b'"read"', b'"read" division="none"'),
     ['<work> division="x" must be one of none, container, object; ignored, as it is not used']),
    (with_work('<work type="init" workers="1" division="x" config="containers=r(1,2)"/>'),
     ['<work> division="x" must be one of none, container, object; ignored, as it is not used']),
    (with_access('<storage type="mock" config="size=x;size=5"/>'),
     ['<storage type="mock"> config: size is written more than once; the last value counts, 5',
      '<storage type="mock"> config: size=x must be a whole number from 0 to 2147483647; ignored, '
      'as it is not used']),
    (with_operation(FILEWRITE.format('/') .replace('r"', 'r;objects=r(0,0)"'),
                    'workers="4" division="object"'), []),
    # XML
    (b'<!DOCTYPE workload>\n' + GOOD,
     ['<!DOCTYPE workload> is ignored: COSBench does not validate a workload']),
    (GOOD.replace(b'<workload', b'<c:load').replace(b'</workload', b'</c:load'),
     ['<c:load> is read as <workload>, as COSBench reads it']),
    (with_stages(f'<workstage name="s">{WORK}</workstage>', 'xmlns=""'), []),
    (with_stages(f'<workstage name="s">{WORK}</workstage>', 'xmlns:x="y"'),
     ['<workload>: the attribute xmlns:x is unknown and ignored']),
    (with_operation(f'<note>hello<work/></note>{READ}<!-- hello -->'),
     ['<work>: the element <note> is unknown and ignored']),
    (b'<?xml version="1.0" encoding="iso-8859-1"?>' + GOOD.replace(b'"w"', b'"w\xf6"'),
     ['encoding="iso-8859-1" is ignored by COSBench, which reads the file in the encoding of its '
      'JVM; save it as UTF-8']),
    (b'<?xml version="1.0" encoding="iso-8859-1"?>' + GOOD, []),
    (b'<?xml version="1.0" encoding="UTF-8"?>' + GOOD.replace(b'"w"', b'"w\xc3\xb6"'), []),
    # what COSBench does besides
    (with_work('<work type="init" workers="1" config="containers=r(1,2);objects=r(1,9)"/>'),
     ['<work type="init"> config: objects=r(1,9) is ignored; COSBench writes these objects in an '
      'init work']),
])
def test_odd_files_are_read_as_cosbench_reads_them(data, expected):
    assert expected == warnings(data)


def test_a_value_that_one_operation_uses_is_a_fault_for_all():
    work = '<work name="n" workers="1" runtime="1" config="objects=x">{}</work>'
    data = with_work(work.format(READ) + work.format(READ.replace('objects=c(1)', '')))
    assert [f'line 2: <work> config: objects=x is {SHOULD_BE}'] == faults_of(data)


def test_odd_values_are_used_as_cosbench_reads_them():
    work = first_work(with_work('<work name="n" workers=" 2 " totalOps="9"><operation type="read" '
                                'config="containers=1-2-3;objects=u(4,x,5)"/></work>'))
    target = work.operations[0].target
    assert (2, 1, 2, 4, 2**31 - 1) == (work.workers, target.containers.low, target.containers.high,
                                       target.objects.low, target.objects.high)


@pytest.mark.parametrize('reason', ['No such file or directory', None])
def test_folder_of_a_filewrite_is_checked(reason):
    looked_at = []
    workload, faults, _warnings = examine(
        with_operation(FILEWRITE.format('/x')),
        lambda folder: looked_at.append(folder) or reason)
    assert ['/x'] == looked_at
    assert (workload is None) == bool(reason)
    assert bool(reason) * (
        f'line 2: <operation type="filewrite"> config: files=/x: {reason}; write the path of a '
        'folder on this machine that has a file in it',) == faults
