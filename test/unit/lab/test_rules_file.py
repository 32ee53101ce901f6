"""The file of rules of a lab's server: changes are noticed; a corrupt file changes nothing."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab import rules_file
from swift_lb.lab.change import EMPTY
from swift_lb.lab.rules import NODE


@pytest.fixture
def path(tmp_path):
    path = tmp_path / 'rules.json'
    rules_file.write(path, EMPTY)
    return path


def test_the_rules_file_is_checked_at_most_every_50_ms(path):
    watched = rules_file.WatchedRules(path, pytest.fail)
    assert not watched.changed(0)        # empty, as it began
    rules_file.write(path, EMPTY | {'node': {'mean': '1s'}})
    assert not watched.changed(rules_file.CHECK_INTERVAL / 2)
    assert watched.changed(rules_file.CHECK_INTERVAL)
    assert watched.rules.scopes[NODE].mean == 1
    assert not watched.changed(1)


@pytest.mark.parametrize('text', [None, '', '{', '[]', '{"node": {"mean": "x"}}', '{"seed": null}'])
def test_rules_stay_if_their_file_is_deleted_or_corrupt(path, text):
    messages = []
    rules_file.write(path, EMPTY | {'node': {'mean': '1s'}})
    watched = rules_file.WatchedRules(path, messages.append)
    watched.changed(0)
    path.unlink()
    if text is not None:
        path.write_text(text)
    assert not any(watched.changed(now) for now in (1, 2, 3))
    assert len(messages) == 1
    assert 'the rules stay as they were' in messages[0]
    assert watched.rules.scopes[NODE].mean == 1


def test_an_invalid_document_of_rules_is_not_written(path):
    before = path.read_text()
    with pytest.raises(ConfigError):
        rules_file.write(path, EMPTY | {'node': {'mean': 'x'}})
    assert path.read_text() == before
    assert [*path.parent.iterdir()] == [path]
