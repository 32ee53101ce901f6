"""Every shell command of the manual's page on clusters works as it is written; it needs root."""
import pytest
from support.interfaces import changing
from support.manual import CLUSTERS, check
from support.wide_area import exclusive, missing

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))


def test_the_shell_commands_of_the_page_on_clusters_succeed():
    with exclusive(), changing():
        check(CLUSTERS)
