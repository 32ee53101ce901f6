"""The file of `lab wan up`: sections [link SITE SITE], each with the options of a WanLink."""
import configparser
import pathlib
import re
from typing import NamedTuple

from swift_lb.config import ini_sections
from swift_lb.errors import ConfigError
from swift_lb.lab.wan import link as links

SECTION = re.compile(r'link +(\S+) +(\S+)$')
SITE = re.compile(r'[a-z][a-z0-9]{0,8}$')       # with a prefix it is an interface's name
MOST_SITES = 120


class Sites(NamedTuple):
    """The sites of a wide-area network and its links."""

    names: tuple    # in the order of the file; a site's number, from 1, is its place
    links: dict     # (site, site), in the order of `names`, -> WanLink

    def number(self, site):
        """Return the number of `site`, a name, from 1."""
        return self.names.index(site) + 1


def read(path):
    """Return the Sites in the file `path`; raises ConfigError that lists every fault."""
    try:
        return parse(pathlib.Path(path).read_text(), str(path))
    except (OSError, UnicodeDecodeError) as err:
        raise ConfigError([f'{path}: cannot be read: {err}']) from None


def parse(text, where):
    """Return the Sites in `text`; ConfigError lists every fault, each beginning with `where`."""
    try:
        sections = ini_sections(text)
    except configparser.Error as err:
        raise ConfigError([f'{where}: {err}']) from None
    faults, links_of = [], {}
    for section, words in sections.items():
        pair = _pair(section, f'{where}, [{section}]', faults)
        values = links.parse(words, f'{where}, [{section}]', faults)
        if pair and (pair in links_of or pair[::-1] in links_of):
            faults.append(f'{where}, [{section}]: this link is already there')
        elif pair:
            links_of[pair] = values
    names = tuple(dict.fromkeys(name for pair in links_of for name in pair))
    if not links_of and not faults:
        faults.append(f'{where}: must have a section [link SITE SITE]')
    if len(names) > MOST_SITES:
        faults.append(f'{where}: has {len(names)} sites; at most {MOST_SITES} are possible')
    if faults:
        raise ConfigError(faults)
    return Sites(names, {tuple(sorted(pair, key=names.index)): links.WanLink(**values)
                         for pair, values in links_of.items()})


def _pair(section, where, faults):
    """Return the two sites of a section's name; append a fault and return None if it is wrong."""
    match = SECTION.match(section)
    if not match:
        faults.append(f'{where}: must be [link SITE SITE]')
        return None
    wrong = [name for name in match.groups() if not SITE.match(name)]
    faults += [f'{where}: the site {name} must be 1 to 9 lower case letters or digits, the first '
               'a letter' for name in wrong]
    if match[1] == match[2]:
        faults.append(f'{where}: must join two different sites')
        return None
    return None if wrong else match.groups()
