"""The file of `lab wan up` becomes sites and links, or one sentence for each fault."""
import pytest

from swift_lb.errors import ConfigError
from swift_lb.lab.wan import sites, state
from swift_lb.lab.wan.link import WanLink

TEXT = """
[link ksu ucsb]
rtt = 80ms      # of the Internet
rate = 20M
[link ucsb mit]
"""


def test_sites_are_numbered_in_the_order_of_their_links():
    parsed = sites.parse(TEXT, 'x')
    assert ('ksu', 'ucsb', 'mit') == parsed.names
    assert [1, 2, 3] == [parsed.number(name) for name in parsed.names]
    assert {('ksu', 'ucsb'): WanLink(0.08, 20e6), ('ucsb', 'mit'): WanLink()} == parsed.links


def test_sites_are_the_same_after_they_were_stored_as_json():
    parsed = sites.parse(TEXT, 'x')
    assert parsed == state.sites_of(state.document_of(parsed))


@pytest.mark.parametrize(('text', 'faults'), [
    ('', ['x: must have a section [link SITE SITE]']),
    ('[site a]', ['x, [site a]: must be [link SITE SITE]']),
    ('[link a a]', ['x, [link a a]: must join two different sites']),
    ('[link a B]\n[link a b]\nrtt = x',
     ['x, [link a B]: the site B must be 1 to 9 lower case letters or digits, the first a letter',
      'x, [link a b], rtt = x: must be a time of more than 0, such as 80ms or 0.5s']),
    ('[link a b]\n[link b a]', ['x, [link b a]: this link is already there']),
    ('rtt = 1', ['x: File contains no section headers.\nfile: \'<string>\', line: 1\n'
                 "'rtt = 1'"])])
def test_every_fault_of_a_file_is_one_sentence_that_names_its_section(text, faults):
    with pytest.raises(ConfigError) as raised:
        sites.parse(text, 'x')
    assert faults == list(raised.value.faults)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match='nothing: cannot be read'):
        sites.read(tmp_path / 'nothing')
