"""The archive of runs: ids, folders, the CSV lists of all runs, and full disks."""
import csv
import errno
import io
import os
import re
from multiprocessing import get_context
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.counted_run import counted_run

from swift_lb.errors import ArchiveError
from swift_lb.workload import archive as archive_module
from swift_lb.workload.archive import Archive

FILES = ['result.json', 's1-prepare.csv', 's2-main.csv', 's3-cleanup.csv', 'scripts.log',
         'w7-demo-rt-histogram.csv', 'w7-demo.csv', 'workload-config.xml', 'workload.log']


def rows(path):
    """Return the rows of a CSV file, lists of cells, as Python's csv.reader reads them."""
    with path.open(newline='') as file:
        return list(csv.reader(file))


def test_a_run_gets_a_folder_and_lines_in_the_lists_of_runs(tmp_path):
    folder = Archive(tmp_path).write(counted_run())
    assert folder == tmp_path / 'w7-demo'
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert rows(folder / 'w7-demo.csv')[2][:4] == ['s2-main', 'read', 'read', '3']
    assert (folder / 's3-cleanup.csv').read_bytes() == (folder / 'scripts.log').read_bytes() == b''
    assert ElementTree.parse(folder / 'workload-config.xml').getroot().tag == 'workload'
    assert [row[0] for row in rows(tmp_path / 'run-history.csv')] == ['Id', 'w7']
    assert len(rows(tmp_path / 'workloads.csv')) == 5


def test_runs_that_cosbench_has_listed_stay_in_the_lists(tmp_path):
    (tmp_path / 'run-history.csv').write_text('Id,Name\nw1,old\n')
    Archive(tmp_path).write(counted_run())
    assert [row[:2] for row in rows(tmp_path / 'run-history.csv')] == [
        ['Id', 'Name'], ['w1', 'old'], ['w7', 'demo']]


@pytest.mark.parametrize(('meta', 'folders', 'following'), [
    (None, [], 'w1'), ('41', [], 'w42'), (' 41\n', [], 'w42'), ('', ['w3-a', 'w12-b'], 'w13'),
    ('forty', ['w3-a'], 'w4'), ('2', ['w9-a', '.w11-b.part', 'w-x', 'web-2', 'w8'], 'w12'),
    ('-5', [], 'w1'), ('9' * 40, [], 'w1'), ('\xff\xfe', [], 'w1'), ('7', ['w5-a'], 'w8')])
def test_a_new_run_id_is_greater_than_any_id_in_the_archive(tmp_path, meta, folders, following):
    if meta is not None:
        (tmp_path / '.meta').write_bytes(meta.encode('latin-1'))
    for folder in folders:
        (tmp_path / folder).mkdir()
    assert Archive(tmp_path).next_id() == following
    assert (tmp_path / '.meta').read_text() == following.removeprefix('w')


def keep(directory):
    """Write five runs to the archive in `directory`; two processes do so at the same time."""
    archive = Archive(directory)
    for _ in range(5):
        archive.write(counted_run(run_id=archive.next_id()))


def test_two_processes_writing_at_once_get_different_run_ids(tmp_path):
    writers = [get_context('fork').Process(target=keep, args=(tmp_path,)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    history = rows(tmp_path / 'run-history.csv')
    assert sorted(row[0] for row in history) == sorted(
        ['Id', *(f'w{number}' for number in range(1, 11))])
    assert {len(row) for row in history[1:]} == {10}
    assert [row[0] for row in rows(tmp_path / 'workloads.csv')].count('Id') == 1
    assert len(list(tmp_path.glob('w*-demo'))) == 10
    assert not list(tmp_path.glob('.*.part'))


def test_the_folder_of_an_earlier_run_is_not_overwritten(tmp_path):
    Archive(tmp_path).write(counted_run())
    (tmp_path / 'w7-demo' / 'workload.log').write_text('mine')
    with pytest.raises(ArchiveError, match='w7-demo: Directory not empty'):
        Archive(tmp_path).write(counted_run())
    assert (tmp_path / 'w7-demo' / 'workload.log').read_text() == 'mine'
    assert len(rows(tmp_path / 'run-history.csv')) == 2


def test_a_path_as_workload_name_makes_no_file_outside_archive(tmp_path):
    folder = Archive(tmp_path / 'in').write(counted_run(name='../../out,\n"x"'))
    assert folder == tmp_path / 'in' / "w7-..-..-out--'x'"
    assert [path.name for path in tmp_path.iterdir()] == ['in']


def test_a_failures_reason_with_invalid_utf_8_is_kept(tmp_path):
    run = counted_run()
    run.stages[1].works[0].ops[1].reasons['bad \udcff byte'] = 1
    run.command = 'swift-lb \udcff'
    assert r'bad \udcff byte' in (Archive(tmp_path).write(run) / 'workload.log').read_text()


@pytest.mark.parametrize('act', [
    Archive.check, Archive.next_id, lambda archive: archive.write(counted_run())])
def test_an_archive_path_that_is_a_file_gives_a_clear_error(tmp_path, act):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ArchiveError) as caught:
        act(Archive(tmp_path / 'file' / 'archive'))
    path = re.escape(f'{tmp_path}/file/archive')
    assert re.fullmatch(f'the archive cannot be written: {path}[^:]*: Not a directory',
                        str(caught.value))


def test_an_unwritable_list_of_runs_is_found_before_the_run(tmp_path):
    (tmp_path / 'workloads.csv').mkdir()
    with pytest.raises(ArchiveError, match=r'workloads\.csv: Is a directory'):
        Archive(tmp_path).check()


def test_checking_a_writable_archive_changes_nothing(tmp_path):
    Archive(tmp_path / 'archive').check()
    Archive(tmp_path / 'archive').check()
    assert not [path for path in (tmp_path / 'archive').iterdir()
                if path.is_dir() or path.stat().st_size]


def test_a_full_disk_leaves_no_incomplete_folder_of_a_run(tmp_path, monkeypatch):
    write_text = Path.write_text

    def full(path, text, **options):
        if path.name == 'workload.log':
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_text(path, text, **options)

    monkeypatch.setattr(Path, 'write_text', full)
    with pytest.raises(ArchiveError) as caught:
        Archive(tmp_path).write(counted_run())
    assert str(caught.value) == (f'the archive cannot be written: {tmp_path}/w7-demo: '
                                 'No space left on device')
    assert list(tmp_path.iterdir()) == []


def test_on_a_full_disk_the_list_of_runs_gets_no_partial_line(tmp_path, monkeypatch):
    archive = Archive(tmp_path)
    archive.write(counted_run(run_id='w1'))
    before = (tmp_path / 'run-history.csv').read_bytes()
    monkeypatch.setattr(archive_module.files, 'history', lambda run: 'w2,' + 'x' * 20_000 + '\n')
    monkeypatch.setattr(archive_module.files, 'workloads', lambda run: '')
    opened = Path.open
    with monkeypatch.context() as patch:
        patch.setattr(Path, 'open', lambda path, *mode, **options: (
            FullDiskFile(path, 'a') if path.name == 'run-history.csv'
            else opened(path, *mode, **options)))
        with pytest.raises(ArchiveError, match=r'/run-history\.csv: No space left on device'):
            archive.write(counted_run(run_id='w2'))
    assert (tmp_path / 'run-history.csv').read_bytes() == before
    assert (tmp_path / 'w2-demo' / 'result.json').exists()


class FullDiskFile(io.FileIO):
    """A file on a full disk: a write stores only the first 4096 bytes."""

    def write(self, text):
        return super().write(text[:4096])
