"""Each row of the manual's tables of odd files is true of such files."""
from pathlib import Path

import pytest
from unit.wire.cosbench.workloads import READ, with_access, with_operation, with_stages

from swift_lb.wire.cosbench.elements import MAX_FILE
from swift_lb.wire.cosbench.read import examine

DOC = Path(__file__).resolve().parents[4] / 'doc' / 'cosbench.md'
WORK = f'<work name="n" workers="1" runtime="1">{READ}</work>'
STAGE = f'<workstage name="s">{WORK}</workstage>'
GOOD = with_stages(STAGE)


def table(heading):
    """Return the first cells of the table below a heading of the manual."""
    section = DOC.read_text().partition(f'\n### {heading}\n')[2].partition('\n## ')[0]
    lines = section.partition('\n### ')[0].split('\n')
    rows = [line.strip('|').split('|')[0].strip() for line in lines if line.startswith('|')]
    return rows[2:]   # without the heading and what rules it off


def of_read(**selectors):
    """Return a file with one read operation, by default of one object."""
    config = ';'.join(f'{key}={value}' for key, value in
                      ({'containers': 'c(1)', 'objects': 'c(1)'} | selectors).items())
    return with_operation(f'<operation type="read" config="{config}"/>')


def of_write(sizes):
    """Return a file with one write operation of these sizes."""
    return with_operation('<operation type="write" config="containers=c(1);objects=c(1);'
                          f'sizes={sizes}"/>')


READ_AS = {   # the first cell of a row: files, each with a part of its warning
    '`r(1,2,3)` `s(1,2,3)` `1-2-3`': [
        (of_read(objects='r(1,2,3)'), 'objects=r(1,2,3) is read as r(1,2), as'),
        (of_read(objects='s(1,2,3)'), 'objects=s(1,2,3) is read as s(1,2), as'),
        (of_read(objects='1-2-3'), 'objects=1-2-3 is read as r(1,2), as')],
    '`u(1,2,3)`': [(of_read(objects='u(1,2,3)'), 'is read as u(1,2147483647), as')],
    '`c(3)x`': [(of_read(containers='c(3)x'), 'containers=c(3)x is read as c(3), as')],
    '`c(+3)` `r(,1,,5)`': [(of_read(containers='c(+3)'), 'is read as c(3), as'),
                           (of_read(containers='r(,1,,5)'), 'is read as r(1,5), as')],
    '`sizes=c(4) KB`': [(of_write('c(4) KB'), 'is read as c(4)KB, as')],
    '`workers=" 2 "` `totalOps=""`': [
        (with_operation(READ, 'workers=" 2 "'), 'workers=" 2 " is read as 2, as'),
        (with_operation(READ, 'workers="2" totalOps=""'), 'totalOps="" is read as 0, as')],
    'a wrong value that is not used: in an operation with `ratio="0"`, of a key that is written '
    'again, or of a key that the operation does not read': [
        (with_operation('<operation type="write" ratio="0" config="sizes=4"/>' + READ),
         'ignored, as it is not used'),
        (of_read(containers='x;containers=c(1)'), 'ignored, as it is not used'),
        (of_read(sizes='4'), 'ignored, as it is not used')],
    'a root element of another name': [
        (GOOD.replace(b'<workload', b'<w').replace(b'</workload', b'</w'),
         '<w> is read as <workload>, as')],
    '`<!DOCTYPE workload>`': [(b'<!DOCTYPE workload>' + GOOD, '<!DOCTYPE workload> is ignored')],
    '`encoding="iso-8859-1"`': [
        (b'<?xml version="1.0" encoding="iso-8859-1"?>' + GOOD.replace(b'"w"', b'"\xf6"'),
         'encoding="iso-8859-1" is ignored by COSBench')],
}
REFUSED = {   # the first cell of a row: files, each with a part of its fault
    'a document type with declarations or an address': [
        (b'<!DOCTYPE workload [ <!ATTLIST work workers CDATA "1"> ]>' + GOOD, 'document type'),
        (b'<!DOCTYPE workload SYSTEM "workload.dtd">' + GOOD, 'document type'),
        (b'<!DOCTYPE workload PUBLIC "a" "b">' + GOOD, 'document type')],
    'bytes that are not UTF-8, or a declared encoding that is not known, like '
    '`encoding="gb2312"`': [
        (GOOD.replace(b'"w"', b'"\xf6"'), 'not well-formed at column 17'),
        (b'<?xml version="1.0" encoding="gb2312"?>' + GOOD, 'the XML can not be read'),
        (b'<?xml version="1.0" encoding="nonsense"?>' + GOOD, 'unknown encoding: nonsense')],
    '`xmlns` on an element within the root': [
        (with_access('<auth type="none" xmlns="x"/>'), '<auth> has an xmlns="..."')],
    'an element in the wrong place, like `<work>` in `<workflow>`': [
        (with_stages(STAGE + WORK), '<work> does not belong in <workflow>')],
    'a name of a workload or stage that has a `/` in it, is blank, or has more than 200 bytes': [
        (GOOD.replace(old, f'"{name}"'.encode()), reason) for old in (b'"w"', b'"s"')
        for name, reason in [('a/b', 'name="a/b" must not be a path'),
                             (' ', 'name=" " must not be empty'),
                             ('x' * 201, 'must not be longer than 200 bytes')]],
    'control characters in a name or a `config`, like `&#10;`': [
        (GOOD.replace(b'"w"', b'"&#10;w"'), 'must not have control characters'),
        (of_read(oprefix='&#10;'), 'must not have control characters')],
    '`cprefix` or `csuffix` with a `/` in it': [
        (of_read(cprefix='a/b'), 'cprefix=a/b must not have a "/"'),
        (of_read(csuffix='/'), 'csuffix=/ must not have a "/"')],
    'sizes in an unknown unit that ends in B, like `c(4)KiB`': [
        (of_write('c(4)KiB'), 'its unit, KiB, is B to COSBench'),
        (of_write('c(4)kB'), 'its unit, kB, is B to COSBench'),
        (of_write('c(4) TB'), 'its unit, TB, is B to COSBench')],
    'numbers below 0, like `c(-3)`': [
        (of_read(objects='c(-3)'), "objects=c(-3) has '-3' where a whole number belongs"),
        (of_read(objects='h(1|2|-1,3|4|5)'), "has '-1' where a whole number belongs")],
    'numbers in digits of other scripts than `0` to `9`': [
        (of_read(objects='c(\N{ARABIC-INDIC DIGIT THREE})'), 'where a whole number belongs'),
        (with_operation(READ, 'workers="\N{ARABIC-INDIC DIGIT THREE}"'), 'must be a whole number')],
    'an operation `init`, `prepare`, `cleanup` or `dispose` in a normal work': [
        (with_operation(f'<operation type="{kind}"/>'), f'write <work type="{kind}"> instead')
        for kind in ('init', 'prepare', 'cleanup', 'dispose')],
    'a `list` of objects with a division of fewer objects than workers': [
        (with_operation('<operation type="list" division="object" config="containers=c(1);'
                        'objects=r(1,3)"/>'), 'divides 3 objects between 4 workers')],
    'an `<auth>` or `<storage>` that is wrong, and that every stage replaces': [
        (with_stages(STAGE.replace('<work ', f'<{name} type="none"/><work '),
                     inside=f'<{name} type="x"/>'), f'<{name}> type="x"')
        for name in ('auth', 'storage')],
    '`filewrite` of a folder in which there are only folders': [
        (with_operation('<operation type="filewrite" config="containers=c(1);files=/folders;'
                        'fileselection=s"/>'), 'files=/folders: there is no file in it')],
    'auth and storage of other systems, like `httpauth` or `s3`': [
        (with_access('<auth type="httpauth"/>'), '<auth> type="httpauth": swift-lb knows'),
        (with_access('<storage type="s3"/>'), '<storage> type="s3": swift-lb knows')],
    'more than 100,000 workers, a `config` of more than 4096 characters, or a file of more than '
    '1 MiB': [
        (with_operation(READ, 'workers="100001"'), 'from 1 to 100000'),
        (of_read(oprefix='x' * 4096), 'config: must not be longer than 4096 characters'),
        (GOOD + b' ' * MAX_FILE, 'has more than 1048576 bytes')],
}


def cases(files):
    """Return the files of all rows, each with its part of a sentence."""
    return [pair for pairs in files.values() for pair in pairs]


def no_file(_folder):
    """Return what is wrong with a folder that has only folders in it."""
    return 'there is no file in it to write'


@pytest.mark.parametrize(('heading', 'files'), [
    ('Odd files', READ_AS), ('Files that COSBench and we judge differently', REFUSED)])
def test_every_row_has_its_files(heading, files):
    assert list(files) == table(heading)


@pytest.mark.parametrize(('data', 'part'), cases(READ_AS))
def test_differences_in_the_manual_give_one_warning(data, part):
    workload, faults, warnings = examine(data)
    assert workload
    assert faults == ()
    assert 1 <= len(warnings) <= 2   # a key that is written again has one of its own
    assert part in warnings[-1]


@pytest.mark.parametrize(('data', 'part'), cases(REFUSED))
def test_refusals_in_the_manual_are_refused(data, part):
    workload, faults, _warnings = examine(data, no_file)
    assert workload is None
    assert part in faults[0]
