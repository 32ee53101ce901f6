"""The check of an lb-server.conf: the sections of the agent, of DNS, of the decoder of images."""
import configparser
from importlib.util import find_spec

from swift.common.utils import readconf

from swift_lb.check.agent_host import agent_warnings
from swift_lb.check.conf_kinds import SERVER
from swift_lb.check.host import missing_user
from swift_lb.check.verdict import made
from swift_lb.check.words import meant
from swift_lb.conf_file import AGENT, CLUSTER, DNS, IMAGE, all_sections, interpolation_fault
from swift_lb.errors import ConfigError
from swift_lb.service import options as agent
from swift_lb.service.dns import options as dns
from swift_lb.service.image import options as image
from swift_lb.service.sensing import metrics_of

KNOWN = AGENT, CLUSTER, DNS, IMAGE
DEFAULT = 'DEFAULT'
DECODE = 'numpy', 'PIL'     # what the decoder imports


def examine(path):
    """Return the Verdict on the lb-server.conf at `path`; raises ConfigError if it is unreadable.

    Each daemon's section is read as the daemon reads it when it starts.
    """
    given = all_sections(path)
    faults, facts = [], {}
    for section in (section for section in READERS if section in given):
        try:
            facts[section] = READERS[section](path)
        except ConfigError as err:
            faults += err.faults
        faults += _interpolation(path, section)
    misspelt, warnings = _unknown(given, path)
    for section in facts:
        options = given.get(DEFAULT, {}) | given[section]
        warnings += missing_user(options, path) if 'user' in options else []
    absent = '' if any(section in given for section in READERS) else (
        f'{path}: no daemon starts with it: it has none of the sections '
        f'{", ".join(f"[{section}]" for section in READERS)}')
    if CLUSTER in given and AGENT not in given:
        warnings.append(f'{path}, [{CLUSTER}]: only the agent reads it, and there is no [{AGENT}]')
    warnings += [f"{path}, [{IMAGE}]: the Python package {name} is missing here: pip install "
                 "'swift-lb[image]'; swift-lb-image does not start without it"
                 for name in DECODE if IMAGE in given and find_spec(name) is None]
    if AGENT in facts:
        warnings += agent_warnings(agent.read(path), path)
    return made(path, SERVER, faults + misspelt, warnings, facts, absent)


def _unknown(given, path):
    """Return (faults, warnings) about the sections that no daemon reads: misspelt ones, others."""
    faults, warnings = [], []
    for name in given:
        stem = name.partition(':')[0]
        if name in (DEFAULT, *KNOWN) or any(
                name.startswith(section) for section in (AGENT, DNS) if section in given):
            continue        # the agent and DNS report what begins with their names
        near = meant(stem, KNOWN)
        if near:
            rest = name.removeprefix(stem)
            faults.append(f'{path}, [{name}]: unknown section; did you mean [{near}{rest}]?')
        else:
            warnings.append(f'{path}, [{name}]: no daemon reads this section')
    return faults, warnings


def _interpolation(path, section):
    """Return [a fault] if Swift's class Daemon, which interpolates, cannot read the section."""
    try:
        readconf(path, section)
    except configparser.InterpolationError as err:
        return [interpolation_fault(path, err)]
    return []


def _agent(path):
    options = agent.read(path)
    metrics_of(options, lambda: None, path)
    cluster = f', cluster {options.cluster.name}' if options.cluster else ''
    return (f'node {options.node}, reports by UDP at {options.bind_ip}:{options.bind_port}, '
            f'peers: {len(options.peers)}, rules = {options.plan.rules}{cluster}')


def _dns(path):
    options = dns.read(path)
    return (f'zone {options.zone.to_text(omit_final_dot=True)}, mode = {options.mode}, '
            f'proxies: {len(options.proxies)}')


def _image(path):
    options = image.read(path)
    return f'socket {options.socket}, results in {options.cache_dir if options.cache else "none"}'


READERS = {AGENT: _agent, DNS: _dns, IMAGE: _image}
