"""Every shell command of the manual works as it is written, on the pages without a lab."""
import pytest
from support.manual import CLUSTERS, LAB, PAGES, check


@pytest.mark.parametrize('page', [page for page in PAGES if page not in (*LAB, CLUSTERS)],
                         ids=lambda page: page.name)
def test_the_commands_of_a_manual_page_without_a_lab_succeed(page):
    check(page)
