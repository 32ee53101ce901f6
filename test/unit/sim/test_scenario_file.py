"""Scenario files: the shipped ones mean what they say, and a bad one is refused whole."""
import random
import re
from pathlib import Path

import pytest

from swift_lb.errors import ConfigError
from swift_lb.sim import events, shipped
from swift_lb.sim.event_words import ACTIONS
from swift_lb.sim.scenario_file import parse
from swift_lb.sim.scenario_words import EVENT, NODES, SCENARIO

LEAST = '[scenario]\nsays = A test.\n[nodes n]\ncount = 3\nservice = constant 10ms\n'


def faults(text):
    """Return the sentences with which a scenario file of this `text` is refused."""
    with pytest.raises(ConfigError) as refused:
        parse(text, 'bad')
    return refused.value.faults


OF_A_MOMENT = ('hung-node', 'slowed-node')      # what happens once, and in 30 s


@pytest.mark.parametrize('name', shipped.names())
def test_shipped_scenarios_of_lasting_events_have_20000_reads(name):
    result = shipped.load(name)
    assert re.fullmatch(r'[A-Z0-9].*\.', result.says)
    assert result.name == name
    assert (result.seconds - result.warm_up) * result.rate >= 20000 or name in OF_A_MOMENT
    assert result.load < 1 or name in ('overload', 'fluctuating', 'fluctuating-fast', 'hot-object')


def test_nodes_in_scenario_paper_have_the_papers_speeds():
    result = shipped.load('paper')
    assert [48.09, 72.23, 69.69] == pytest.approx(
        [1 / place.kind.mean for place in result.places], abs=0.01)
    assert 0.8 * 190 == pytest.approx(result.rate, rel=0.01)
    large = shipped.load('paper-128')
    assert (1000, 128, 8) == (len(large.places), large.hosts, large.workers)


def test_every_option_of_a_scenario_file_is_parsed():
    result = parse('''
[scenario]
says = All of it.
seconds = 30s
warm_up = 500ms
[clients]
workers = 64
sizes = 4KiB 90%, 1MiB 10%
objects = 100
hot = 5%
[proxies]
hosts = 2
workers = 4
node_timeout = 3s
reports = no
[ring]
fragments = 4+2
[network]
round_trip = 1ms
[nodes old]
count = 2
devices = 3
slots = 2
service = uniform 5ms 15ms
rate = 100MiB/s
cache = 50
[nodes new]     # another kind
service = gamma 3ms 0.5
''', 'all')
    assert (30.0, 0.5, 64, 100, 0.05, 2, 4, 3.0, (4, 2), 0.001) == (
        result.seconds, result.warm_up, result.clients, result.objects, result.hot, result.hosts,
        result.workers, result.node_timeout, result.fragments, result.round_trip)
    assert (False, True) == (result.reports, parse(LEAST, 'least').reports)
    assert ((4096, 0.9), (2**20, 0.1)) == result.sizes
    assert ['10.0.0.1:6200/sd0', '10.0.0.1:6200/sd1', '10.0.0.1:6200/sd2', '10.0.0.2:6200/sd0',
            '10.0.0.2:6200/sd1', '10.0.0.2:6200/sd2', '10.0.0.3:6200/sd0'] == [
                str(place.node) for place in result.places]
    old, new = result.places[0].kind, result.places[-1].kind
    assert (0.01, 2, 100 * 2**20, 50) == (old.mean, old.slots, old.rate, old.cache)
    assert (0.003, 1, 0) == (new.mean, new.slots, new.cache)


@pytest.mark.parametrize(('words', 'kind', 'change', 'values'), [
    ('slow = 20', events.During, events.slow, (20.0,)),
    ('later = 50ms', events.During, events.later, (0.05,)),
    ('hang = yes', events.During, events.hang, ()),
    ('fail = 503 in 1ms', events.During, events.fail, (503, 0.001)),
    ('pause = 1% 500ms', events.During, events.pause, (0.01, 0.5)),
    ('fluctuate = 3 every 100ms', events.Repeated, events.fluctuate, (3.0, 0.1)),
    ('rebuild = 20/s 1MiB', events.Repeated, events.rebuild, (20.0, 2**20))])
def test_events_of_devices_are_parsed(words, kind, change, values):
    result = parse(LEAST + f'[event 1]\nat = 2s\nuntil = 3s\ndevices = n-2 n-1/sd0\n{words}\n', 'x')
    nodes = (result.places[1].node, result.places[0].node)
    assert (kind(change, values, nodes, 2.0, 3.0),) == result.events


def test_events_of_proxies_are_parsed():
    result = parse(LEAST + '[event 1]\nat = 1s\nrestart = worker 2\n[event 2]\nexpire = yes\n', 'x')
    assert (events.OfWorkers('forget', 1, 1.0), events.OfWorkers('expire')) == result.events


def test_all_faults_of_a_scenario_file_are_reported_together():
    assert (
        'bad.conf, [clients], load = much: \'much\' must be a percentage such as 5%',
        'bad.conf, [clients], szes = 4KiB: is no option; did you mean sizes?',
        'bad.conf, [ring], replicas = 0: \'0\' must be a whole number of at least 1',
        'bad.conf, [proxy]: is no section; did you mean [proxies]?',
        'bad.conf, [nodes a], service = normal 10ms: \'normal\': a service time is one of '
        'constant, exponential, gamma, uniform',
        'bad.conf, [scenario], says: is missing',
        'bad.conf, [event 1]: must say one of slow, later, hang, fail, pause, fluctuate, rebuild, '
        'restart, expire; it says slow and hang',
    ) == faults('''[scenario]
[clients]
load = much
szes = 4KiB
[ring]
replicas = 0
[proxy]
[nodes a]
service = normal 10ms
[event 1]
devices = a
slow = 2
hang = yes
''')


@pytest.mark.parametrize(('more', 'fault'), [
    ('[event 1]\ndevices = n-4\nslow = 2\n', '[event 1], devices = n-4: n-4 is no node nor device; '
     'did you mean n-3?'),
    ('[event 1]\ndevices = m\nslow = 2\n', '[event 1], devices = m: m is no node nor device; they '
     'are called NAME, NAME-1 or NAME-1/sd0'),
    ('[event 1]\nslow = 2\n', '[event 1], devices: is missing'),
    ('[event 1]\ndevices = n\nslow = 0\n', "[event 1], slow = 0: '0' must be more than 0"),
    ('[event 1]\nat = 2s\nuntil = 1s\ndevices = n\nslow = 2\n',
     '[event 1], until = 1s: must be later than `at`'),
    ('[event 1]\nat = 60s\ndevices = n\nslow = 2\n',
     '[event 1], at = 60s: must be before the end, 60 s'),
    ('[event 1]\nrestart = worker 9\n',
     '[event 1], restart = worker 9: must be a worker of 1 to 8'),
    ('[event 1]\nrestart = worker 1\ndevices = n\n', '[event 1], devices = n: restart has none'),
    ('[event 1]\ndevices = n\nfail = 503\n',
     "[event 1], fail = 503: '503' must be written as `503 in 1ms`"),
    ('[ring]\nreplicas = 4\n', '[ring], replicas = 4: 4 different devices are needed, there are 3'),
    ('[ring]\nfragments = 2\n',
     "[ring], fragments = 2: '2' must be data and parity fragments: 4+2"),
    ('[ring]\nfragments = 2+1\nreplicas = 2\n',
     '[ring], replicas = 2: an object has one of them: leave one out'),
    ('[clients]\nload = 10%\nworkers = 2\n', '[clients], load = 10%: is of an open loop; with '
     'workers the loop is closed: leave one of them out'),
    ('[clients]\nsizes = 4KiB 50%, 1MiB 40%\n',
     '[clients], sizes = 4KiB 50%, 1MiB 40%: the percentages must add up to 100%'),
    ('[clients]\nload = 0%\n', "[clients], load = 0%: '0%' must be more than 0%"),
    ('[event]\nslow = 2\n', '[event]: is no section; these are: [scenario], [clients], [proxies], '
     '[ring], [network], [nodes NAME], [event NAME]'),
])
def test_each_fault_names_the_option_and_what_it_accepts(more, fault):
    assert (f'bad.conf, {fault}',) == faults(LEAST + more)


@pytest.mark.parametrize('service', ['exponential 0ms', 'gamma 3ms 0', 'exponential', '',
                                     'constant 10', 'uniform 1ms', 'exponential 10ms 3'])
def test_invalid_service_time_is_refused(service):
    result = faults(LEAST.replace('constant 10ms', service))
    assert result[0].startswith(f'bad.conf, [nodes n], service = {service}: ')


def test_faults_that_concern_the_whole_file_are_reported():
    assert ('bad.conf, [scenario], warm_up = 70s: must be shorter than the 60 s of all',
            ) == faults(LEAST.replace('says', 'warm_up = 70s\nsays'))
    assert 1 == len(faults('says = x\n'))
    assert 'bad.conf' in faults(LEAST + '[nodes n]\n')[0]


def test_the_error_for_an_unknown_scenario_lists_them_all():
    with pytest.raises(ConfigError, match='the scenarios are cold-start, '):
        shipped.load('zzz')


@pytest.mark.parametrize('text', ['exponential 10ms', 'gamma 10ms 0.5', 'uniform 5ms 15ms'])
def test_random_service_times_have_the_configured_mean(text):
    kind = parse(LEAST.replace('constant 10ms', text), 'x').places[0].kind
    rng = random.Random(1)
    assert kind.mean == pytest.approx(sum(kind.draw(rng) for _ in range(20000)) / 20000, rel=0.03)


def test_the_manual_documents_every_option_and_event():
    manual = (Path(__file__).resolve().parents[3] / 'doc' / 'simulator.md').read_text()
    example = re.search('```ini\n(.*?)```', manual, re.DOTALL)[1]
    result = parse(example, 'manual')
    slow = events.During(events.slow, (20.0,), (result.places[0].node,), 20.0, 80.0)
    assert (slow,) == result.events
    options = {*re.findall(r'^(?:# )?(\w+) = ', example, re.MULTILINE)}
    assert {*EVENT, *NODES, *(option for table in SCENARIO.values() for option in table)
            } - {*ACTIONS} <= options
    rows = [row for row in manual.splitlines() if row.startswith('| `')]
    written = [re.match(r'\| `(\w+ = [^`]+)`', row) for row in rows]
    texts = [one[1] for one in written if one]
    assert {*ACTIONS} == {text.split(' = ')[0] for text in texts}
    for text in texts:
        word, value = text.split(' = ')
        ACTIONS[word](value)
