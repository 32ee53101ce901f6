"""A proxy that serves status pages."""
import pytest
from unit.console.status_pages import StubProxy


@pytest.fixture
def proxy():
    """Give a Proxy, closed in the end."""
    one = StubProxy()
    yield one
    one.close()
