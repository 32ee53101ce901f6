"""`swift-lb sim run` and `sim list`: a seed fixes the bytes; lengths of shortened scenarios."""
import gc
import json
import os
import subprocess
import sys

import pytest
from support.small_cluster import kind, node, scenario

from swift_lb.cli import main
from swift_lb.errors import ConfigError
from swift_lb.sim import events, shipped
from swift_lb.sim.run import lasting, run, shortened, uncollected
from swift_lb.sim.run_command import size_text

COMMAND = [sys.executable, '-c', 'import sys; from swift_lb.cli import main; sys.exit(main())',
           'sim']


def said(*words, hash_seed='0'):
    """Return the bytes that `swift-lb sim` prints with the arguments `words`, as a new process."""
    return subprocess.run([*COMMAND, *words], capture_output=True, check=True, timeout=120,
                          env=os.environ | {'PYTHONHASHSEED': hash_seed}).stdout


@pytest.mark.parametrize('words', [
    ('one-slow-disk', '--policy', 'lb_rlt@host', '--seconds', '14s'),
    ('ec-one-slow', '--policy', 'least_in_flight', '--seconds', '12', '--json'),
    ('fluctuating', '--policy', 'oracle', '--seconds', '5.1', '--seed', '7')])
def test_runs_with_the_same_seed_print_the_same_bytes(words):
    first, second = (said('run', *words, hash_seed=seed) for seed in ('1', '2'))
    assert first == second
    assert len(first) > 500


def test_runs_with_different_seeds_have_different_figures(capsys):
    documents = []
    for seed in (1, 2):
        main(['sim', 'run', 'hung-disk', '--policy', 'oracle', '--seconds', '25', '--json',
              '--seed', str(seed)])
        documents.append(json.loads(capsys.readouterr().out))
        assert ('hung-disk', 'oracle', seed, 25.0, 0) == tuple(
            documents[-1][name] for name in ('scenario', 'policy', 'seed', 'seconds', 'stuck'))
        assert 12 == len(documents[-1]['shares']) == len(documents[-1]['worst_seconds'])
    assert documents[0]['percentiles'] != documents[1]['percentiles']


def test_sim_runs_output_ends_with_the_command_that_repeats_it(capsys):
    assert 0 == main(['sim', 'run', 'paper', '--policy', 'shuffle', '--seconds', '20s'])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('paper: The three unlike nodes')
    assert '1 proxy of 8 workers, 3 devices; 152 reads/s, 80% of' in lines[1]
    assert lines[-1] == 'again: swift-lb sim run paper --policy shuffle --seed 1 --seconds 20s'
    assert ['device', 'share', '(worst', 'second)'] in [line.split() for line in lines]


def test_of_40_devices_sim_run_shows_the_24_busiest_and_idlest(tmp_path, capsys):
    path = tmp_path / 'many.conf'
    path.write_text('[scenario]\nsays = Many.\nseconds = 3s\nwarm_up = 1s\n[nodes n]\ncount = 40\n'
                    'service = constant 10ms\n[clients]\nsizes = 4KiB 50%, 1MiB 50%\n')
    assert 0 == main(['sim', 'run', str(path), '--policy', 'shuffle'])
    out = capsys.readouterr().out
    assert 24 == out.count(':6200/sd0')
    assert '(16 between)' in out
    assert '1 MiB' in out


@pytest.mark.parametrize(('words', 'fault'), [
    (['papr', '--policy', 'shuffle'], 'did you mean paper'),
    (['paper', '--policy', 'fastest'], "unknown policy 'fastest'"),
    (['paper', '--policy', 'shuffle', '--seconds', 'long'], '--seconds: '),
    (['paper', '--policy', 'shuffle', '--seconds', '10'], 'paper: 10 s must be more than its')])
def test_wrong_arguments_of_sim_run_are_reported(words, fault, capsys):
    assert 1 == main(['sim', 'run', *words])
    assert fault in capsys.readouterr().err


def test_sim_list_prints_every_scenario_with_its_sentence(capsys):
    assert 0 == main(['sim', 'list'])
    words = ' '.join(capsys.readouterr().out.split())
    for name in shipped.names():
        assert name in words
        assert shipped.load(name).says in words
    assert 'oracle' in words


def test_the_simulator_runs_without_optional_packages():
    code = ('import sys\nsys.modules.update(dict.fromkeys(("matplotlib", "uvloop", "numpy")))\n'
            'from swift_lb.cli import main\n'
            'main(["sim", "run", "paper", "--policy", "shuffle", "--seconds", "16"])\n'
            'main(["sim", "list"])\nmain(["sim", "compare", "-h"])')
    assert 0 == subprocess.run([sys.executable, '-c', code], check=False,
                               capture_output=True).returncode


def test_garbage_collector_is_restored_after_a_run():
    gc.disable()
    try:
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(ZeroDivisionError), uncollected():
        1 / 0  # noqa: B018
    assert gc.isenabled()


@pytest.mark.parametrize(('name', 'lengths'), [
    ('homogeneous', (15.0, 21.0)), ('paper-closed', (30.0, 68.0)), ('ec-healthy', (30.0, 65.0)),
    ('large-stream', (15.0, 22.0))])
def test_reads_create_no_reference_cycles(name, lengths):
    left = []
    for seconds in lengths:
        gc.collect()
        run(lasting(shipped.load(name), seconds), 'shuffle', 1)
        left.append(gc.collect())       # the cluster as it was at the end
    assert left[1] < left[0] + 2000     # in 5,000 reads more


def test_a_shortened_scenario_keeps_all_its_events():
    plain = scenario([kind()], seconds=110, warm_up=10.0)
    assert 35.0 == shortened(plain, 0.25).seconds
    assert 12.0 == shortened(plain, 0.001).seconds
    repaired = scenario([kind()], seconds=110, warm_up=10.0, events=(
        events.During(events.slow, (2.0,), (node(1),), 20.0, 40.0),))
    assert 60.0 == shortened(repaired, 0.1).seconds
    assert 70.0 == shortened(repaired, 0.6).seconds
    lasts = scenario([kind()], seconds=50, warm_up=10.0, events=(
        events.During(events.slow, (2.0,), (node(1),), 20.0, 40.0),))
    assert 50.0 == shortened(lasts, 0.1).seconds
    with pytest.raises(ConfigError, match='5 s must be more than its warm-up of 10 s'):
        lasting(plain, 5.0)


@pytest.mark.parametrize(('size', 'text'), [
    (100, '100 B'), (4096, '4 KiB'), (2**20, '1 MiB'), (3 * 2**29, '1.5 GiB')])
def test_sizes_are_written_in_binary_units(size, text):
    assert text == size_text(size)
