"""The fixture `proxy`: a stub of a proxy that serves status pages."""
import pytest
from unit.console.status_pages import StubProxy


@pytest.fixture
def proxy():
    """Yield a StubProxy, which is closed after the test."""
    one = StubProxy()
    yield one
    one.close()
