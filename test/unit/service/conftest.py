"""The conf file of both daemons."""
import pytest


@pytest.fixture
def conf(tmp_path):
    """Write a conf file and return its path."""
    def write(text):
        path = tmp_path / 'lb-server.conf'
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)
    return write
