"""Every shell command of the manual works as it is written, on the pages that use a lab."""
import pytest
from support.manual import LAB, check

from swift_lb.errors import LabError
from swift_lb.lab.lab import Lab


@pytest.fixture
def no_default_lab():
    """Skip the test if a lab called `default` is up, which the manual's commands would use.

    Afterwards fail if the page has left that lab up."""
    try:
        Lab.find()
    except LabError:
        yield
    else:
        pytest.skip('a lab called `default` is up; the manual would use it and take it down')
    try:
        Lab.find().down()
    except LabError:
        return
    pytest.fail('the page leaves its lab up')


@pytest.mark.parametrize('page', LAB, ids=lambda page: page.name)
def test_the_shell_commands_of_a_manual_page_succeed(page, no_default_lab):
    check(page)
