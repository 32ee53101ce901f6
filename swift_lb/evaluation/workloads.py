"""The workloads of an evaluation, as COSBench's XML."""
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from swift_lb.errors import ConfigError

WRITERS = 8              # workers that write the objects which are read later
PREFIX = 'swift-lb-evaluate-'
WRITTEN = (100001, 101000)   # numbers of the objects that are written and never read


class AccountAccess(NamedTuple):
    """Access to a Swift account: attributes of COSBench's <auth>, <storage>, and storage URLs."""

    auth: str            # the type of the <auth>
    auth_config: str
    storage_config: str
    endpoints: tuple = ()

    def xml(self):
        """Return the <auth> and <storage> elements of a COSBench workload."""
        return (f'<auth type="{self.auth}" config={quoteattr(self.auth_config)}/>'
                f'<storage type="swift" config={quoteattr(self.storage_config)}/>')


def login(url, user, key, project=None, endpoints=()):
    """Return the AccountAccess of tempauth or swauth at `url`; with a `project`, of Keystone.

    `endpoints` are storage URLs. All workers share one login. Raises ConfigError if an argument
    contains a `;`, which separates COSBench's settings.
    """
    words = {'auth_url': url, 'username': user, 'password': key, 'caching': 'true'}
    if project:
        words['tenant_name'] = project
    if faults := [f'{name}: must not hold a ;, which a workload cannot' for name, word in
                  words.items() if ';' in word]:
        raise ConfigError(faults)
    config = ';'.join(f'{name}={word}' for name, word in words.items())
    kind = 'keystone' if project else 'swauth'
    return AccountAccess(kind, config, 'logging=false', tuple(endpoints))


def open_to_all(endpoints):
    """Return the AccountAccess of an account without tokens; `endpoints` are storage URLs."""
    return AccountAccess('none', '', f'logging=false;storage_url={endpoints[0]}', tuple(endpoints))


def container_name(size):
    """Return the name of the container that holds the objects of `size`."""
    return f'{PREFIX}{size.lower()}-1'


def _container(size, selector):
    return f'containers={selector};cprefix={PREFIX}{size.lower()}-'


def mixed(access, size, workers, lengths, read, objects):
    """Return the XML of a run's workload: reads of `objects` objects, and writes of other objects.

    `access` is an AccountAccess, `size` that of an object, such as 4KB, `workers` a number of
    workers; `lengths` are (ramp-up, runtime) in seconds; `read` is the percentage of reads.
    """
    ramp_up, runtime = lengths
    where = _container(size, 'c(1)')
    first, last = WRITTEN
    operations = [
        ('read', read, f'{where};objects=u(1,{objects})'),
        ('write', 100 - read, f'{where};objects=u({first},{last});sizes=c({size_number(size)})'
                              f'{size_unit(size)}')]
    lines = ''.join(f'<operation type="{kind}" ratio="{ratio}" config="{config}"/>'
                    for kind, ratio, config in operations if ratio)
    return _workload(access, _stage('main', (
        f'<work name="main" workers="{workers}" interval="1" rampup="{ramp_up}" '
        f'runtime="{runtime}" afr="1000000">{lines}</work>')))


def prepare(access, size, objects):
    """Return the XML that creates the container of `size` and writes the objects to be read."""
    where = _container(size, 'r(1,1)')
    return _workload(access, _special('init', 1, where) + _special('prepare', WRITERS, (
        f'{where};objects=r(1,{objects});sizes=c({size_number(size)}){size_unit(size)}')))


def clean(access, size):
    """Return the XML that removes the container of `size` with all its objects."""
    return _workload(access, _special('dispose', 1, _container(size, 'r(1,1)')))


def size_number(size):
    """Return the digits of a size: '4' of '4KB'."""
    return size.rstrip('BKMG')


def size_unit(size):
    """Return the unit of a size: 'KB' of '4KB'."""
    return size.lstrip('0123456789')


def _special(kind, workers, config):
    return _stage(kind, f'<work type="{kind}" workers="{workers}" config="{config}"/>')


def _stage(name, work):
    return f'<workstage name="{name}">{work}</workstage>'


def _workload(access, stages):
    return (f'<workload name="evaluate">{access.xml()}<workflow>{stages}</workflow></workload>')
