"""`swift-lb check` and `swift-proxy-server FILE --test-config` agree on generated confs."""
import subprocess
import sys
from pathlib import Path

import pytest
from support.generated_confs import (
    APP,
    BAD,
    DEFAULT,
    GOOD,
    MAIN,
    both,
    files,
    generated,
    good,
    put,
    word,
)
from support.proxy_app import swift_dir
from support.swift_verdicts import verdicts
from swift.common import wsgi

from swift_lb.check.command import examine

COUNT = 100
# What Swift alone knows: the edit of a good conf, and the reason.
EXCEPTIONS = {
    'a value of the app': (put(APP, sorting_method='fastest'), "Swift's app parses its options"),
    'a number of the app': (put(APP, node_timeout='soon'), 'likewise'),
    'a number of a filter': (put('filter:slo', max_manifest_segments='many'), 'so do its filters'),
    'a filter that reads the conf': (
        both(word('lb_dispatcher', ''), put(MAIN, **{'filter-with': 'copy'})),
        'dlo wants a plain [pipeline:main]'),
    'swift.conf': (put(DEFAULT, swift_dir='HERE/empty'), 'swift.conf is not in the conf'),
    'rings': (put(DEFAULT, swift_dir='HERE/ringless'), 'the rings are not in the conf'),
}


def write(place, parts):
    """Write {file name: text} to a file, or a directory if there are several; return its path."""
    if len(parts) == 1:
        place.write_text(*parts.values())
        return str(place)
    place.mkdir()
    for name, text in parts.items():
        (place / name).write_text(text)
    return str(place)


def exceptions(rings):
    """Yield ((the name,), {file: text}) of each of EXCEPTIONS."""
    for name, (edit, _reason) in EXCEPTIONS.items():
        conf = good(rings)
        edit(conf)
        conf[DEFAULT]['swift_dir'] = conf[DEFAULT]['swift_dir'].replace('HERE', rings)
        yield (name,), files(conf)


@pytest.fixture(scope='module')
def judged(tmp_path_factory):
    """Return {edits: (path, Verdict, Swift's exit status and output)} of all confs."""
    place, rings = tmp_path_factory.mktemp('confs'), swift_dir(tmp_path_factory.mktemp('swift'))
    for name in ('empty', 'ringless'):
        Path(rings, name).mkdir()
    Path(rings, 'ringless', 'swift.conf').write_text(Path(rings, 'swift.conf').read_text())
    paths = {names: write(place / f'{number}.conf', parts) for number, (names, parts) in enumerate(
        [*generated(rings, COUNT), *exceptions(rings)])}
    swifts = verdicts(paths.values(), rings)
    return {names: (path, examine(path), *swifts[path]) for names, path in paths.items()}


def test_check_and_swift_agree_on_generated_confs(judged):
    wrong = [f'{", ".join(names)}: check: {verdict.faults}; Swift: {text[-300:]}'
             for names, (_path, verdict, status, text) in judged.items()
             if bool(verdict.faults) != bool(status) and names[0] not in EXCEPTIONS]
    assert not wrong, '\n'.join(wrong)
    assert COUNT + len(EXCEPTIONS) == len(judged)


def test_each_edit_is_as_good_or_bad_as_it_is_called(judged):
    alone = {names[0]: not verdict.faults for names, (path, verdict, *_swifts) in judged.items()
             if len(names) == 1 and Path(path).is_file() and names[0] not in EXCEPTIONS}
    assert alone == {name: name in GOOD for name in alone}
    assert len(alone) > len(GOOD | BAD) / 2


@pytest.mark.parametrize('name', EXCEPTIONS)
def test_what_only_swift_knows_is_listed(judged, name):
    _path, verdict, status, _text = judged[name,]
    assert ((), True) == (verdict.faults, status != 0)


@pytest.mark.skipif(not hasattr(wsgi, 'set_swift_dir'),
                    reason='this Swift reads /etc/swift/swift.conf, whatever swift_dir is')
@pytest.mark.parametrize('edit', ['as it is', 'the dispatcher behind authentication'])
def test_the_command_itself_says_the_same(judged, edit):
    path, verdict, *swifts = judged[edit,]
    program = Path(sys.executable).with_name('swift-proxy-server')
    run = subprocess.run([program, path, '--test-config'], capture_output=True, text=True,
                         timeout=60, check=False)
    assert [run.returncode, run.stdout] == swifts
    assert run.stdout.splitlines() == list(verdict.faults)
