"""Files with a JSON document on each line: read again after a writer was interrupted."""
import pytest

from swift_lb.experiment import json_lines


def test_documents_are_read_in_the_order_of_the_file(tmp_path):
    path = tmp_path / 'cells.jsonl'
    assert json_lines.read(path, dict) == []
    json_lines.append(path, {'a': 1})
    json_lines.append(path, {'b': 2})
    assert path.read_text() == '{"a": 1}\n{"b": 2}\n'
    assert json_lines.read(path, dict) == [{'a': 1}, {'b': 2}]


@pytest.mark.parametrize('torn', [b'{"a": ', b'null', b'[3]', b'\xff\x00'])
def test_an_incomplete_line_is_skipped_and_the_next_is_read(tmp_path, torn):
    path = tmp_path / 'cells.jsonl'
    path.write_bytes(torn)
    json_lines.append(path, {'b': 2})
    assert json_lines.read(path, lambda document: document['b']) == [2]
