"""`swift-lb plan`: the Instruction made of report files, and a sentence on each wrong file."""
import json
import pathlib

import pytest
from support.one_agent import OneAgent, round_of

from swift_lb import cli
from swift_lb.errors import AgentError
from swift_lb.service import documents
from swift_lb.service.plan_command import read

CASES = pathlib.Path(__file__).resolve().parents[2] / 'cases' / 'reports'


def reported(**fields):
    """Return a report as JSON text; `fields` replace its node a or its metrics."""
    return json.dumps({'node': 'a', 'metrics': {'cpu': 0.5}, **fields})


def test_the_plan_of_an_agents_reports_equals_its_instruction(tmp_path, capsys):
    agents = [OneAgent(tmp_path, f'node-{number}') for number in (1, 2, 3)]
    for _round in range(4):
        round_of(agents)
    path = tmp_path / 'reports.json'
    path.write_text(json.dumps(documents.reports(agents[0].agent, agents[0].now)))
    assert cli.main(['plan', '--json', '--reports', str(path)]) == 0
    instruction = json.loads(capsys.readouterr().out)
    assert instruction['digest'] == agents[0].agent.instruction.digest
    assert [part['dns'] for part in instruction['parts']] == [
        part.dns for part in agents[0].agent.instruction.nodes]


def test_the_tllb_papers_rules_give_the_plan_of_its_figure_3(capsys):
    assert cli.main(['plan', '--rules', 'tllb', '--reports', str(CASES / 'figure-3')]) == 0
    rows = {row.split()[0]: row for row in capsys.readouterr().out.splitlines() if row}
    assert rows['node-a'].split()[2:7] == ['48', '0.605', '26.0%', '20.0%', '0.0%']
    assert rows['node-c'].split()[2:7] == ['20', '1.000', '43.0%', '100.0%', '60.0%']


def test_of_several_reports_of_a_node_the_latest_counts(tmp_path):
    for number, (epoch, sequence) in enumerate([(2, 1), (1, 9), (2, 3), (2, 2)]):
        (tmp_path / f'{number}.json').write_text(reported(epoch=epoch, sequence=sequence))
    heard, = read(tmp_path).values()
    assert (heard.report.epoch, heard.report.sequence) == (2, 3)


@pytest.mark.parametrize(('text', 'reason'), [
    ('', 'Expecting value'), ('{', 'Expecting'), ('null', ''), ('[]', ''), ('3', ''), ('"x"', ''),
    ('{}', 'node is missing'), ('{"node": "a"}', 'metrics is missing'),
    ('{"reports": 3}', ''), ('{"reports": [3]}', ''), ('{"reports": {"a": 1}}', ''),
    (reported(node=3), ''), (reported(node='a b'), "'a b' does not match"),
    (reported(interval='x'), "'x' is no number from 0.1 to 60"),
    (reported(interval=0), '0 is no number from 0.1 to 60'),
    (reported(epoch=1.5), '1.5 is no whole number'),
    (reported(ramp=2), '2 is no number from 0 to 1'),
    (reported(keep=None), 'None is no number from 0 to 1'),
    (reported(state='well'), "'well' is none of up, draining, disabled"),
    (reported(metrics=[]), ''), (reported(metrics={'cpu': 'x'}), "'x' is no number"),
    (reported(metrics={'cpu': float('nan')}), 'nan is no number'),
    (reported(metrics={'CPU': 1}), "'CPU' does not match"), (reported(age='x'), "'x' is no number"),
    (reported(age=float('nan')), 'nan is no number'), (reported(age=10**400), 'is no number'),
    (reported(sent_at=float('inf')), 'inf is no number'), ('[' * 100_000, '')],
    ids=lambda text: text[:40])
def test_a_file_with_a_wrong_report_is_named_with_the_fault(tmp_path, text, reason):
    path = tmp_path / 'bad.json'
    path.write_text(text)
    with pytest.raises(AgentError) as error:
        read(path)
    sentence = str(error.value)
    assert sentence.startswith(
        f'{path}: must be a document of /v1/reports, or one of its reports: ')
    assert reason in sentence
    assert '\n' not in sentence


def test_a_binary_report_file_is_refused_in_one_sentence(tmp_path):
    (tmp_path / 'bad.json').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(AgentError, match='must be a document'):
        read(tmp_path)


def test_an_absent_file_is_reported_in_one_sentence(tmp_path):
    with pytest.raises(AgentError, match=r': there is no \*\.json in it$'):
        read(tmp_path)
    with pytest.raises(AgentError, match=r'/none: No such file or directory$'):
        read(tmp_path / 'none')


def test_a_plan_of_only_old_reports_is_refused(tmp_path, capsys):
    (tmp_path / 'a.json').write_text(reported(age=3600))
    assert cli.main(['plan', '--reports', str(tmp_path)]) != 0
    errors = capsys.readouterr().err
    assert f'{tmp_path}: there is no report that counts' in errors
    assert 'Traceback' not in errors


def test_the_conf_chooses_the_rules_by_which_shares_are_planned(tmp_path, capsys):
    (tmp_path / 'a.json').write_text(reported())
    conf = tmp_path / 'lb-server.conf'
    conf.write_text('[lb-agent]\nnode = a\nrules = tllb\n')
    assert cli.main(['plan', '--reports', str(tmp_path), '--conf', str(conf)]) == 0
    assert 'rules tllb' in capsys.readouterr().out
    conf.write_text('[lb-agent]\nnode = a\nrules = mine\nrho = 0\n')
    assert cli.main(['plan', '--reports', str(tmp_path), '--conf', str(conf)]) != 0
    errors = capsys.readouterr().err
    assert 'rules = mine' in errors
    assert 'rho = 0' in errors
