"""Odd files: COSBench refuses some, reads others in its own way, and runs some that we refuse.

The keys of the dicts are rows of tables in doc/cosbench.md; the values are example files.
"""
from itertools import chain
from pathlib import Path

import pytest
from unit.wire.cosbench.workloads import (
    READ,
    faults_of,
    first_work,
    warnings_of,
    with_access,
    with_operation,
    with_stages,
    with_work,
)

from swift_lb.wire.cosbench.elements import MAX_FILE
from swift_lb.wire.cosbench.read import examine

DOC = Path(__file__).resolve().parents[4] / 'doc' / 'cosbench.md'
WORK = f'<work name="n" workers="1" runtime="1">{READ}</work>'
STAGE = f'<workstage name="s">{WORK}</workstage>'
GOOD = with_stages(STAGE)
FILEWRITE = '<operation type="filewrite" config="containers=c(1);files={};fileselection=r"/>'
DELAY = ('<work type="delay"> ends a workload TERMINATED in COSBench; remove it, and for a pause '
         'write closuredelay="SECONDS" on the <workstage> before')
MARK = ('line 1: the file begins with a byte order mark, which COSBench refuses; save it as UTF-8 '
        'without one')
WIDE = 'line 1: the file is UTF-16 or UTF-32, which COSBench refuses; save it as UTF-8'
TEXT = '{}: there is text in it, which COSBench refuses; remove it, or make it a comment'
XMLNS = '{} has an xmlns="..."; COSBench leaves out elements of a namespace; remove the xmlns'
NO_SELECTOR = ('objects=x is no selector; write c(n), u(a,b), r(a,b), s(a,b) or '
               'h(lo|hi|weight,...), without blanks')
NO_SIZE = ('sizes=4 is no size; write a selector and a unit, like c(64)KB: GB, MB, KB or B, and a '
           'KB is 1000 bytes')
NO_DIVISION = 'division="x" must be one of none, container, object'
UNUSED = 'ignored, as it is not used'
LATIN = b'<?xml version="1.0" encoding="iso-8859-1"?>'


def table(heading):
    """Return [first cell of a row] of the table below `heading` in doc/cosbench.md."""
    section = DOC.read_text().partition(f'\n### {heading}\n')[2].partition('\n## ')[0]
    lines = section.partition('\n### ')[0].split('\n')
    rows = [line.strip('|').split('|')[0].strip() for line in lines if line.startswith('|')]
    return rows[2:]   # without the heading and what rules it off


def of_read(**selectors):
    """Return a workload file with one read; `selectors`: config keys, such as objects='c(1)'."""
    config = ';'.join(f'{key}={value}' for key, value in
                      ({'containers': 'c(1)', 'objects': 'c(1)'} | selectors).items())
    return with_operation(f'<operation type="read" config="{config}"/>')


def of_write(sizes):
    """Return a workload file with one write of the selector `sizes`, such as c(4)KB."""
    return with_operation('<operation type="write" config="containers=c(1);objects=c(1);'
                          f'sizes={sizes}"/>')


def of_init(config, inside='', attributes=''):
    """Return a workload file with one init work; the arguments are added to its XML."""
    return with_work(f'<work type="init" workers="1" {attributes} '
                     f'config="containers=r(1,2){config}">{inside}</work>')


def two(wrong, ratio='0'):
    """Return a workload file with a read after an operation of ratio 0 and attributes `wrong`."""
    return with_operation(f'<operation ratio="{ratio}" {wrong}/>{READ}')


READ_AS = {   # the first cell of a row: files, each with its warnings
    '`r(1,2,3)` `s(1,2,3)` `1-2-3`': [
        (of_read(objects=text), [f'<operation type="read"> config: objects={text} is read as '
                                 f'{meant}, as COSBench reads it'])
        for text, meant in (('r(1,2,3)', 'r(1,2)'), ('s(1,2,3)', 's(1,2)'), ('1-2-3', 'r(1,2)'))],
    '`u(1,2,3)`': [(of_read(objects='u(1,2,3)'),
                    ['<operation type="read"> config: objects=u(1,2,3) is read as '
                     'u(1,2147483647), as COSBench reads it'])],
    '`c(3)x`': [
        (of_read(containers=text), [f'<operation type="read"> config: containers={shown} is read '
                                    'as c(3), as COSBench reads it'])
        for text, shown in (('c(3)x', 'c(3)x'), (' c(3)\N{NO-BREAK SPACE}', r'c(3)\xa0'))],
    '`c(+3)` `r(,1,,5)`': [
        (of_read(containers=text), [f'<operation type="read"> config: containers={text} is read '
                                    f'as {meant}, as COSBench reads it'])
        for text, meant in (('c(+3)', 'c(3)'), ('r(,1,,5)', 'r(1,5)'))],
    '`sizes=c(4) KB`': [(of_write('c(4) KB'), ['<operation type="write"> config: sizes=c(4) KB is '
                                               'read as c(4)KB, as COSBench reads it'])],
    '`workers=" 2 "` `totalOps=""`': [
        (with_work(f'<work name="n" workers=" 2 " runtime="\t1" totalOps="">{READ}</work>'),
         ['<work> workers=" 2 " is read as 2, as COSBench reads it',
          '<work> runtime=" 1" is read as 1, as COSBench reads it',
          '<work> totalOps="" is read as 0, as COSBench reads it']),
        (with_stages(f'<workstage name="s" closuredelay=" +3">{WORK}</workstage>'),
         ['<workstage> closuredelay=" +3" is read as 3, as COSBench reads it'])],
    'a wrong value that is not used: in an operation with `ratio="0"`, of a key that is written '
    'again, or of a key that the operation does not read': [
        (two('type="write" config="objects=x"'),
         [f'<operation type="write"> config: {NO_SELECTOR}; {UNUSED}']),
        (two('type="read" division="x"'), [f'<operation> {NO_DIVISION}; {UNUSED}']),
        (two('type="raed" config="objects=x"', ' '),
         ['<operation> ratio=" " is read as 0, as COSBench reads it',
          '<operation type="raed"> is no operation; it is left out, as its ratio is 0',
          f'<operation type="raed"> config: {NO_SELECTOR}; {UNUSED}']),
        (two('type="write"'), []),
        (with_operation(READ.replace('objects', 'objects=x;objects')),
         ['<operation type="read"> config: objects is written more than once; the last value '
          'counts, c(1)', f'<operation type="read"> config: {NO_SELECTOR}; {UNUSED}']),
        (with_access('<storage type="mock" config="size=x;size=5"/>'),
         ['<storage type="mock"> config: size is written more than once; the last value counts, 5',
          '<storage type="mock"> config: size=x must be a whole number from 0 to 2147483647; '
          f'{UNUSED}']),
        (with_work(f'<work name="n" workers="1" runtime="1" config="objects=x">{READ}</work>'),
         [f'<work> config: {NO_SELECTOR}; {UNUSED}']),
        (of_read(sizes='4', chunked='maybe'),
         [f'<operation type="read"> config: {NO_SIZE}; {UNUSED}',
          f'<operation type="read"> config: chunked=maybe must be true or false; {UNUSED}']),
        (with_operation(READ.replace('read"', 'read" division="none"'),
                        'workers="1" division="x"'), [f'<work> {NO_DIVISION}; {UNUSED}']),
        (of_init('', attributes='division="x"'), [f'<work> {NO_DIVISION}; {UNUSED}']),
        (with_operation(FILEWRITE.format('/').replace('r"', 'r;objects=r(0,0)"'),
                        'workers="4" division="object"'), [])],
    'a root element of another name': [
        (GOOD.replace(b'<workload', b'<c:load').replace(b'</workload', b'</c:load'),
         ['<c:load> is read as <workload>, as COSBench reads it'])],
    '`<!DOCTYPE workload>`': [
        (b'<!DOCTYPE workload>\n' + GOOD,
         ['<!DOCTYPE workload> is ignored: COSBench does not validate a workload'])],
    '`encoding="iso-8859-1"`': [
        (LATIN + GOOD.replace(b'"w"', b'"w\xf6"'),
         ['encoding="iso-8859-1" is ignored by COSBench, which reads the file in the encoding of '
          'its JVM; save it as UTF-8']),
        (LATIN + GOOD, []),
        (b'<?xml version="1.0" encoding="UTF-8"?>' + GOOD.replace(b'"w"', b'"w\xc3\xb6"'), [])],
}
ALSO_READ = [   # files that the manual does not name, each with its warnings
    (with_operation('<operation type="list"/>'), []),
    (with_stages(STAGE, 'xmlns=""'), []),
    (with_stages(STAGE, 'xmlns:x="y"'),
     ['<workload>: the attribute xmlns:x is unknown and ignored']),
    (with_operation(f'<note>hello<work/></note>{READ}<!-- hello -->'),
     ['<work>: the element <note> is unknown and ignored']),
    (of_init(';objects=r(1,9)'), ['<work type="init"> config: objects=r(1,9) is ignored; COSBench '
                                  'writes these objects in an init work']),
]
REFUSED = {   # the first cell of a row: files, each with the beginning of its fault
    'a document type with declarations or an address': [
        (b'<!DOCTYPE workload [ <!ATTLIST work workers CDATA "1"> ]>' + GOOD,
         'line 1: a document type (<!DOCTYPE) is not allowed'),
        (b'<!DOCTYPE workload PUBLIC "a" "b">' + GOOD,
         'line 1: a document type (<!DOCTYPE) is not allowed')],
    'bytes that are not UTF-8, or a declared encoding that is not known, like '
    '`encoding="gb2312"`': [
        (GOOD.replace(b'"w"', b'"\xf6"'),
         'line 1: the XML is not well-formed at column 17: not well-formed (invalid token)'),
        (b'<?xml version="1.0" encoding="gb2312"?>' + GOOD,
         'line 1: the XML can not be read: multi-byte encodings are not supported'),
        (b'<?xml version="1.0" encoding="nonsense"?>' + GOOD,
         'line 1: the XML can not be read: unknown encoding: nonsense')],
    '`xmlns` on an element within the root': [
        (with_access('<auth type="none" xmlns="x"/>'), f'line 2: {XMLNS.format("<auth>")}'),
        (with_access('<c:auth type="none" xmlns:c="x"/>'),
         'line 2: <c:auth> is of a namespace; COSBench leaves out elements of a namespace; write '
         '<auth>')],
    'an element in the wrong place, like `<work>` in `<workflow>`': [
        (with_stages(STAGE + WORK), 'line 2: <work> does not belong in <workflow>; it goes into '
                                    '<workstage>')],
    'a name of a workload or stage that has a `/` in it, is blank, or has more than 200 bytes': [
        (GOOD.replace(old, f'"{name}"'.encode()), f'{where} name="{shown}" {reason}')
        for old, where in ((b'"w"', 'line 1: <workload>'), (b'"s"', 'line 2: <workstage>'))
        for name, shown, reason in [
            *((name, name, 'must not be a path, as files are named after it; leave out any "/"')
              for name in ('..', '../x', 'a/b')),
            ('', '', 'must not be empty'), ('  ', '  ', 'must not be empty'),
            ('\N{LINE SEPARATOR}', r'\u2028', 'must not be empty'),
            ('\N{SNOWMAN}' * 67, '\N{SNOWMAN}' * 60 + '...',
             'must not be longer than 200 bytes, as files are named after it')]],
    'control characters in a name or a `config`, like `&#10;`': [
        (GOOD.replace(b'"w"', b'"a&#10;b"'),
         r'line 1: <workload> name="a\nb" must not have control characters in it'),
        (of_read(oprefix='&#10;'), 'line 2: <operation type="read"> config: must not have control '
                                   'characters in it')],
    '`cprefix` or `csuffix` with a `/` in it': [
        (of_read(**{key: 'a/b'}), f'line 2: <operation type="read"> config: {key}=a/b must not '
                                  'have a "/" in it: a container of Swift can not')
        for key in ('cprefix', 'csuffix')],
    'sizes in an unknown unit that ends in B, like `c(4)KiB`': [
        (of_write('c(4)KiB'), 'line 2: <operation type="write"> config: sizes=c(4)KiB is no size: '
                              'its unit, KiB, is B to COSBench')],
    'numbers below 0, like `c(-3)`': [
        (of_read(objects='c(-3)'), 'line 2: <operation type="read"> config: objects=c(-3) has '
                                   "'-3' where a whole number belongs")],
    'numbers in digits of other scripts than `0` to `9`': [
        (of_read(objects='c(\N{ARABIC-INDIC DIGIT THREE})'),
         'line 2: <operation type="read"> config: objects=c(\N{ARABIC-INDIC DIGIT THREE}) has'),
        (with_operation(READ, 'workers="\N{ARABIC-INDIC DIGIT THREE}"'),
         'line 2: <work> workers="\N{ARABIC-INDIC DIGIT THREE}" must be a whole number')],
    'an operation `init`, `prepare`, `cleanup` or `dispose` in a normal work': [
        (with_operation(f'<operation type="{kind}"/>'),
         f'line 2: <operation type="{kind}"> does not go into a normal work; write <work type='
         f'"{kind}"> instead, which needs no <operation>')
        for kind in ('init', 'prepare', 'cleanup', 'dispose')],
    'a `list` of objects with a division of fewer objects than workers': [
        (with_operation('<operation type="list" division="object" config="containers=c(1);'
                        'objects=r(1,3)"/>'),
         'line 2: <operation type="list">: division="object" divides 3 objects between 4 workers; '
         'each needs one at least')],
    'an `<auth>` or `<storage>` that is wrong, and that every stage replaces': [
        (with_stages(STAGE.replace('<work ', f'<{name} type="none"/><work '),
                     inside=f'<{name} type="x"/>'),
         f'line 1: <{name}> type="x": swift-lb knows none, mock, sw')
        for name in ('auth', 'storage')],
    '`filewrite` of a folder in which there are only folders': [
        (with_operation(FILEWRITE.format('/folders')),
         'line 2: <operation type="filewrite"> config: files=/folders: there is no file in it; '
         'write the path of a folder on this machine that has a file in it')],
    'auth and storage of other systems, like `httpauth` or `s3`': [
        (with_access('<auth type="httpauth"/>'),
         'line 2: <auth> type="httpauth": swift-lb knows none, mock, swauth, keystone'),
        (with_access('<storage type="s3"/>'),
         'line 2: <storage> type="s3": swift-lb knows none, mock, swift')],
    'more than 100,000 workers, a `config` of more than 4096 characters, or a file of more than '
    '1 MiB': [
        (with_operation(READ, 'workers="100001"'),
         'line 2: <work> workers="100001" must be a whole number from 1 to 100000'),
        (of_read(oprefix='x' * 4096), 'line 2: <operation type="read"> config: must not be longer '
                                      'than 4096 characters'),
        (GOOD + b' ' * MAX_FILE,
         'line 1: the file has more than 1048576 bytes; a workload has a few thousand')],
}
ALSO_REFUSED = [   # COSBench refuses these files too, or ends them TERMINATED; each has one fault
    (with_work('<work type="delay"/>'), f'line 2: {DELAY}'),
    (with_work(f'{WORK}\n<work type="delay" workers="1"/>'), f'line 3: {DELAY}'),
    (with_stages(f'<workstage name="delay" closuredelay="9">{WORK}</workstage>'),
     'line 2: <workstage> name="delay" with a closuredelay: COSBench does none of its works and '
     'ends the workload TERMINATED; write another name'),
    (with_access('<storage type="mock" config="size=5\N{NO-BREAK SPACE}"/>'),
     r'line 2: <storage type="mock"> config: size=5\xa0 must be a whole number from 0 to '
     '2147483647'),
    # COSBench prepares a scanner of objects, and a size, for an init work as well
    *((with_work(f'<work type="{kind}" workers="1" config="containers=r(1,2);objects=u(1,9)"/>'),
       f'line 2: <work type="{kind}"> config: objects=u(1,9) is not possible where every one of '
       'the objects has its turn; write r(a,b) or a-b') for kind in ('init', 'dispose')),
    (of_init(';sizes=4'), f'line 2: <work> config: {NO_SIZE}'),
    (of_init('', '<operation type="init" ratio="x"/>'),
     'line 2: <operation> ratio="x" must be a whole number from 0 to 100'),
    *((GOOD.decode().encode(encoding), MARK) for encoding in ('utf-8-sig', 'utf-16', 'utf-32')),
    (b'\xfe\xff' + GOOD.decode().encode('utf-16-be'), MARK),
    *((GOOD.decode().encode(encoding), WIDE) for encoding in (
        'utf-16-le', 'utf-16-be', 'utf-32-le', 'utf-32-be')),
    (with_stages(STAGE, 'xmlns="http://cosbench"'), f'line 1: {XMLNS.format("<workload>")}'),
    (with_operation(f'hello {READ}'), f'line 2: {TEXT.format("<work>")}'),
    (with_access('<auth type="none">\n\n x</auth>'), f'line 4: {TEXT.format("<auth>")}'),
    (with_stages(STAGE, inside='\n<![CDATA[x]]>'), f'line 2: {TEXT.format("<workload>")}'),
    (with_operation(f'{READ}&#160;'), f'line 2: {TEXT.format("<work>")}'),
]


@pytest.mark.parametrize(('heading', 'files'), [
    ('Odd files', READ_AS), ('Files that COSBench and we judge differently', REFUSED)])
def test_each_row_of_the_manuals_tables_has_a_tested_example(heading, files):
    assert list(files) == table(heading)


@pytest.mark.parametrize(('data', 'warnings'), chain(*READ_AS.values(), ALSO_READ))
def test_odd_files_that_cosbench_reads_get_warnings(data, warnings):
    assert warnings == warnings_of(data)


@pytest.mark.parametrize(('data', 'fault'), chain(*REFUSED.values()))
def test_files_that_the_manual_lists_as_refused_are_refused(data, fault):
    workload, faults, _warnings = examine(data, lambda _folder: 'there is no file in it')
    assert workload is None
    assert faults[0].startswith(fault)


@pytest.mark.parametrize(('data', 'fault'), ALSO_REFUSED)
def test_files_that_cosbench_refuses_are_refused(data, fault):
    assert [fault] == faults_of(data)


def test_a_wrong_inherited_value_is_a_fault_if_any_work_uses_it():
    work = '<work name="n" workers="1" runtime="1" config="objects=x">{}</work>'
    data = with_work(work.format(READ) + work.format(READ.replace('objects=c(1)', '')))
    assert [f'line 2: <work> config: {NO_SELECTOR}'] == faults_of(data)


def test_odd_numbers_and_selectors_mean_what_cosbench_reads():
    work = first_work(with_work('<work name="n" workers=" 2 " totalOps="9"><operation type="read" '
                                'config="containers=1-2-3;objects=u(4,x,5)"/></work>'))
    target = work.operations[0].target
    assert (2, 1, 2, 4, 2**31 - 1) == (work.workers, target.containers.low, target.containers.high,
                                       target.objects.low, target.objects.high)


def test_the_folder_of_a_filewrite_is_passed_to_the_folder_check():
    looked_at = []
    assert examine(with_operation(FILEWRITE.format('/x')), looked_at.append)[0]
    assert ['/x'] == looked_at
