"""Any bytes are a COSBench workload that can be written and read again, or get faults."""
from xml.sax.saxutils import quoteattr

from hypothesis import given, settings
from hypothesis import strategies as st
from unit.wire.cosbench.workloads import with_access, with_operation, with_work

from swift_lb.wire.cosbench.keys import AUTH, OPERATION, STORAGE
from swift_lb.wire.cosbench.read import examine, read
from swift_lb.wire.cosbench.write import normalised

NAMES = st.text(st.characters(exclude_categories=('Cc', 'Cs', 'Zl', 'Zp'), exclude_characters='/;'),
                min_size=1, max_size=8).filter(lambda name: name.strip() and name not in '..')
VALUES = st.text(st.characters(exclude_categories=('Cc', 'Cs', 'Zl', 'Zp'),
                               exclude_characters='/;,'), max_size=6)
NUMBERS = st.integers(1, 2**31 - 1)
RANGES = st.tuples(NUMBERS, NUMBERS).map(sorted)
BUCKETS = st.lists(RANGES.map(lambda pair: f'{pair[0]}|{pair[1]}|3'), min_size=1, max_size=3)
RANGE = st.builds(lambda form, pair: form.format(*pair), st.sampled_from(
    ['r({},{})', '{}-{}', 'r({},{},9)x', '+{}-{}-9']), RANGES)
SELECTOR = RANGE | RANGES.map(lambda pair: 'u({},{})'.format(*pair)) | NUMBERS.map(
    'u({})'.format) | RANGES.map(lambda pair: 's({},{})'.format(*pair)) | st.integers(
    0, 9).map('c({})'.format) | BUCKETS.map(lambda parts: f'h({",".join(parts)})')
ENOUGH = st.sampled_from(['c(1)', 's(1,9)', 'u(1,900)', 'r(1,900,1)', '1-900'])   # for any workers
SIZE = st.tuples(NUMBERS.map('c({})'.format) | BUCKETS.map(lambda parts: f'h({",".join(parts)})'),
                 st.sampled_from(['B', 'KB', 'MB', ' GB'])).map(''.join)
FLAG = st.sampled_from(['true', 'false'])
OPTIONAL = st.fixed_dictionaries({}, optional={
    'cprefix': VALUES, 'csuffix': VALUES, 'oprefix': VALUES, 'osuffix': VALUES, 'hashCheck': FLAG,
    'chunked': FLAG, 'content': st.sampled_from(['random', 'zero']), 'histogram': FLAG,
    'name': NAMES, 'unknown': VALUES})
ACCESS = st.sampled_from([
    '', '<auth type="none"/>', '<auth type="mock" config="delay=5"/>', '<storage type="mock"/>',
    '<storage type="swift" config="policy=a&amp;b"/>',
    '<auth type="tempauth" config="username=u;password=&quot;"/><storage type="mock"/>'])


def written(element, inside='', /, **attributes):
    """Return the XML of an `element` with `attributes`; `inside` is the XML in it."""
    inner = ''.join(f' {key}={quoteattr(str(value))}' for key, value in attributes.items())
    return f'<{element}{inner}>{inside}</{element}>'


def config(entries):
    """Return the dict `entries` as a config string, key=value;key=value."""
    return ';'.join(f'{key}={value}' for key, value in entries.items())


@st.composite
def operations(draw):
    """Draw the XML of one to three operations whose ratios add up to 100."""
    ratios, elements = draw(st.sampled_from([[100], [80, 20], [50, 25, 25], [0, 100]])), []
    for ratio in ratios:
        kind = draw(st.sampled_from(['read', 'write', 'delete', 'list', 'filewrite']))
        entries = {'containers': draw(SELECTOR), 'objects': draw(SELECTOR), 'sizes': draw(SIZE),
                   'files': '/tmp', 'fileselection': 's', **draw(OPTIONAL)}
        if kind == 'list' and draw(st.booleans()):
            del entries['objects']
            entries['containers'] = draw(ENOUGH)
        elements.append(written('operation', type=kind, ratio=ratio, config=config(entries)))
    return ''.join(elements)


@st.composite
def works(draw):
    """Draw the XML of a work of any type, with its operations if it is normal."""
    kind = draw(st.sampled_from(['normal', 'init', 'prepare', 'cleanup', 'dispose']))
    attributes = {'workers': draw(st.integers(1, 900)), 'interval': draw(st.integers(1, 9))}
    if kind == 'normal':
        limit = draw(st.sampled_from(['runtime', 'totalOps', 'totalBytes']))
        attributes |= draw(st.fixed_dictionaries({limit: NUMBERS, 'name': NAMES}, optional={
            'rampup': NUMBERS, 'rampdown': NUMBERS, 'afr': st.integers(0, 10**6), 'driver': NAMES,
            'rate': st.floats(0.01, 1e9).map('{:.3f}'.format), 'config': OPTIONAL.map(config)}))
        return written('work', draw(ACCESS) + draw(operations()), **attributes)
    entries = {'containers': draw(RANGE), 'objects': draw(RANGE), 'sizes': draw(SIZE),
               **draw(OPTIONAL)}
    return written('work', draw(ACCESS), type=kind, config=config(entries), **attributes)


@st.composite
def files(draw):
    """Draw the bytes of a workload file in which nothing is wrong."""
    stages = ''.join(
        written('workstage', draw(ACCESS) + ''.join(draw(st.lists(works(), min_size=1,
                                                                  max_size=3))),
                name=name, closuredelay=draw(st.integers(0, 99)), config=config(draw(OPTIONAL)))
        for name in draw(st.lists(NAMES, min_size=1, max_size=3)))
    return written('workload', draw(ACCESS) + written('workflow', stages,
                                                      config=config(draw(OPTIONAL))),
                   name=draw(NAMES), description=draw(st.text(st.characters(
                       exclude_categories=('Cc', 'Cs'), exclude_characters='\ufffe\uffff'))),
                   config=config(draw(OPTIONAL))).encode()


@settings(max_examples=150, deadline=None)
@given(files())
def test_a_workload_written_as_xml_is_read_back_unchanged(data):
    workload = read(data).workload
    text = normalised(workload)
    again = read(text.encode())
    assert workload == again.workload
    assert text == normalised(again.workload)


def refused_or_read(data):
    """Check that the bytes `data` give a Workload or faults, and that these name their lines."""
    workload, faults, warnings = examine(data)
    assert (workload is None) == bool(faults)
    for sentence in (*faults, *warnings):
        assert sentence.startswith('line ')
        assert sentence.split(' ')[1].rstrip(':').isdecimal()
        assert sentence.isprintable()
    if workload:
        assert workload == read(normalised(workload).encode()).workload


@given(st.binary(max_size=200))
def test_any_bytes_give_either_a_workload_or_faults(data):
    refused_or_read(data)


@given(st.sampled_from(['utf-8', 'utf-16', 'latin-1', 'rot13', 'hex', 'idna', 'utf-7', 'cp037',
                        'punycode', 'undefined', 'mbcs', 'raw_unicode_escape', 'zlib', 'utf-32']),
       st.binary(max_size=40))
def test_any_declared_encoding_gives_a_workload_or_faults(encoding, data):
    refused_or_read(b'<?xml version="1.0" encoding="' + encoding.encode() + b'"?><workload name="w'
                    + data + b'"/>')


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_damaged_workload_file_is_read_or_refused(data):
    whole = bytearray(data.draw(files()))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at:at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    refused_or_read(bytes(whole))


CHARACTERS = st.characters(exclude_categories=('Cs',), exclude_characters='\ufffe\uffff',
                           min_codepoint=32)
ANY = st.text(CHARACTERS, max_size=12) | st.from_regex(r'-?[0-9]{1,25}(\.[0-9]+)?', fullmatch=True)


@given(st.sampled_from(sorted(OPERATION)), ANY)
def test_any_value_of_an_operations_key_is_read_or_refused(key, value):
    refused_or_read(with_operation(
        f'<operation type="write" config={quoteattr(f"containers=c(1);{key}={value}")}/>'))


@given(st.sampled_from([(name, kind, key) for name, table in (('auth', AUTH), ('storage', STORAGE))
                        for kind, known in table.items() for key in known]), ANY)
def test_any_value_of_an_auth_or_storage_key_is_read_or_refused(which, value):
    name, kind, key = which
    refused_or_read(with_access(written(name, type=kind, config=f'username=u;password=p;project=t;'
                                                                f'{key}={value}')))


@given(st.sampled_from(['name', 'type', 'workers', 'interval', 'division', 'runtime', 'rampup',
                        'rampdown', 'totalOps', 'totalBytes', 'afr', 'driver', 'rate', 'config']),
       ANY)
def test_any_value_of_a_works_attribute_is_read_or_refused(name, value):
    attributes = {'name': 'n', 'workers': 1, 'runtime': 1, 'config': 'containers=r(1,2)'}
    refused_or_read(with_work(written('work', '<operation type="list"/>',
                                      **attributes | {name: value})))
