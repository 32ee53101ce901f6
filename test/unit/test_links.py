"""Every link of the manual leads to a page, a heading or a file that exists; all pages are in it.

`tox -e docs` finds the same and more, but takes Sphinx.
"""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((*ROOT.glob('*.md'), *(ROOT / 'doc').rglob('*.md'),
                *(ROOT / 'devstack').rglob('*.md')))
MANUAL = ROOT / 'doc'
INDEX = MANUAL / 'index.md'


def prose(page):
    """Return the text of a page without its blocks of code."""
    return re.sub(r'^( *)```.*?^\1```$', '', page.read_text(), flags=re.MULTILINE | re.DOTALL)


def links(page):
    """Return the targets of the links and pictures of a page, but not those of other hosts."""
    targets = re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', re.sub(r'`[^`\n]*`', '', prose(page)))
    return [one for one in map(''.join, targets) if not re.match(r'[a-z]+:', one)]


def anchors(page):
    """Return the anchors of the headings of a page, as GitHub and MyST make them."""
    return {re.sub(r'[^\w\- ]', '', title.strip().lower()).replace(' ', '-')
            for title in re.findall(r'^#{1,4} (.*)$', prose(page), re.MULTILINE)}


def leads(page, target):
    """Return whether a link of a page leads somewhere: a file, or a heading of a page.

    A page of the manual may not link to Markdown outside of it, which Sphinx does not know.
    """
    path, _hash, anchor = target.partition('#')
    there = (page.parent / path).resolve() if path else page
    return (there.is_file() and (not anchor or anchor in anchors(there))
            and not (MANUAL in page.parents and there.suffix == '.md'
                     and MANUAL not in there.parents))


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file_or_a_heading(page):
    assert [] == [target for target in links(page) if not leads(page, target)]


def test_links_to_missing_files_and_headings_are_found(tmp_path):
    page = tmp_path / 'page.md'
    page.write_text('# Two words\n[a](#two-words) [b](page.md#two) [c](no.md)\n'
                    '```\n[d](no)\n```\n<img src="e.png">\n')
    assert ['page.md#two', 'no.md', 'e.png'] == [one for one in links(page) if not leads(page, one)]


def test_pictures_of_the_manual_are_small():
    sizes = {path.name: path.stat().st_size for path in (MANUAL / 'figures').iterdir()}
    assert {'policies.png', 'agents.png'} <= sizes.keys()
    assert max(sizes.values()) < 100_000


def test_every_page_of_the_manual_is_in_its_index():
    listed = {f'{entry}.md' for entry in re.findall(r'^[\w/-]+$', INDEX.read_text(), re.MULTILINE)}
    assert listed == {str(page.relative_to(MANUAL))
                      for page in MANUAL.rglob('*.md')} - {'index.md'}


def test_debians_package_of_the_manual_has_what_its_pages_link_to():
    words = (ROOT / 'debian' / 'swift-lb-doc.install').read_text().split()
    packed = {path for word in words for found in ROOT.glob(word)
              for path in (found, *found.rglob('*'))}
    linked = {(page.parent / target.partition('#')[0]).resolve()
              for page in packed if page.suffix == '.md'
              for target in links(page) if not target.startswith('#')}
    assert all('swift_lb' in path.parts for path in linked - packed)    # which is another package
    assert len(linked) > 20
