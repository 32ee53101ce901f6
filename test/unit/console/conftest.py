"""A proxy that serves status pages."""
import pytest
from unit.console.status_pages import Proxy


@pytest.fixture
def proxy():
    """Give a Proxy, closed in the end."""
    one = Proxy()
    yield one
    one.close()
