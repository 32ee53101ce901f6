"""The Bench that benchmarks of dispatchers share: order of runs, labs, results in a file."""
import argparse
import contextlib
import json
from pathlib import Path

import pytest
from bench.dispatchers.frame import RESULTS, Bench, BenchStep

from swift_lb.experiment.runs import alternating

STEPS = [BenchStep((lab, name), name, lab, (lab, name))
         for lab in ('x', 'y') for name in ('a', 'b')]


class RecordedLab:
    """A stand-in for a lab that records in `done` what is done with it."""

    def __init__(self):
        self.done, self.shown = [], []

    @contextlib.contextmanager
    def open(self, name):
        """Yield this lab; record its start, and at the end its stop, with `name`."""
        self.done.append(f'start {name}')
        yield self
        self.done.append(f'stop {name}')

    def use(self, policy):
        """Record a restart of the proxies with `policy`."""
        self.done.append(f'use {policy}')

    def measure(self, _cluster, step, block):
        """Record a run, return ((block, policy), text); KeyboardInterrupt if the run is `end`."""
        if (block, *step.key) == getattr(self, 'end', None):
            raise KeyboardInterrupt
        self.done.append(f'{block} {"".join(step.key)}')
        return (block, step.what[1]), 'measured'


def bench(folder, blocks=1, seconds=4):
    """Return a Bench that keeps its results in `folder`, unless that is None."""
    return Bench('tried', argparse.Namespace(blocks=blocks, seconds=seconds, out=folder),
                 ('seconds',), tuple)


def run(subject, lab):
    """Run all STEPS of the Bench `subject` on the RecordedLab `lab`; return the exit status."""
    return subject.run(lambda block: alternating(STEPS, block), lab.open, lab.measure,
                       lambda: lab.shown.append([subject.of(*step.key) for step in STEPS]))


@pytest.fixture(autouse=True)
def keep_sigterm(monkeypatch):
    """Keep the Bench from setting a handler of SIGTERM in the process of pytest."""
    monkeypatch.setattr('bench.dispatchers.frame.signal.signal', lambda *_: None)


def test_every_other_round_of_runs_is_in_reverse_order():
    lab = RecordedLab()
    assert 0 == run(bench(None, blocks=2), lab)
    assert ['start x', 'use a', '0 xa', 'use b', '0 xb', 'stop x',
            'start y', 'use a', '0 ya', 'use b', '0 yb', 'stop y',
            'start y', 'use b', '1 yb', 'use a', '1 ya', 'stop y',
            'start x', 'use b', '1 xb', 'use a', '1 xa', 'stop x'] == lab.done
    assert [[[(0, name), (1, name)] for _lab in 'xy' for name in 'ab']] == lab.shown


def test_an_interrupted_bench_continues_where_it_stopped(tmp_path):
    lab = RecordedLab()
    lab.end = (0, 'y', 'b')
    assert 130 == run(bench(tmp_path), lab)
    assert [[[(0, 'a')], [(0, 'b')], [(0, 'a')], []]] == lab.shown
    lab = RecordedLab()
    assert 0 == run(bench(tmp_path), lab)
    assert ['start y', 'use b', '0 yb', 'stop y'] == lab.done
    assert [[[(0, 'a')], [(0, 'b')], [(0, 'a')], [(0, 'b')]]] == lab.shown


def test_no_test_cluster_is_started_if_all_runs_are_measured(tmp_path):
    run(bench(tmp_path), RecordedLab())
    lab = RecordedLab()
    assert 0 == run(bench(tmp_path), lab)
    assert [] == lab.done
    assert 0 == run(bench(tmp_path, blocks=2), lab)     # more blocks may be added
    assert [1, 1] == [lab.done.count('0 xa') + 1, lab.done.count('1 xa')]


def test_a_folder_with_results_of_other_options_is_refused(tmp_path):
    run(bench(tmp_path), RecordedLab())
    with pytest.raises(SystemExit, match=r"results of .*'seconds': 4.*, not of .*'seconds': 5"):
        bench(tmp_path, seconds=5)


def test_the_result_file_has_a_line_for_each_measurement(tmp_path):
    run(bench(tmp_path), RecordedLab())
    lines = [json.loads(line) for line in Path(tmp_path, RESULTS).read_text().splitlines()]
    assert {'bench': 'tried', 'options': {'seconds': 4}} == lines[0]
    assert {'block': 0, 'step': ['x', 'b'], 'figures': [0, 'b']} == lines[2]
