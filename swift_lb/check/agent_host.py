"""Warnings about the host of an agent: the proxy's conf and the directory that its conf names."""
import os

from swift_lb.check.conf_kinds import sections_in
from swift_lb.conf_file import AGENT, INSTRUCTION_FILE
from swift_lb.errors import ConfigError
from swift_lb.service.local_proxy import proxy_facts, with_proxy

DISPATCHER = 'filter:lb_dispatcher'


def agent_warnings(options, path):
    """Return the warnings about the host of the agent with AgentOptions, of the conf at `path`."""
    where = f'{path}, [{AGENT}]'
    return [*_proxy(options, where), *_directory(options.instruction_file, where)]


def _proxy(options, where):
    """Return [a warning] if the agent finds no conf of the proxy, or no address in it."""
    conf = options.proxy_conf
    if not os.path.isfile(conf):
        return [f'{where}, proxy_conf = {conf}: there is no such file here; the requests of the '
                'proxy would not be measured, and no other proxy would delegate to it']
    try:
        dispatches = DISPATCHER in sections_in(conf)
    except ConfigError:
        return []       # its own check reports that
    if not dispatches or with_proxy(options, proxy_facts(conf)).proxy:
        return []
    return [f'{where}, proxy: must be set to IP:PORT of the proxy, as {conf} has no bind_ip but '
            'any address; else no other proxy delegates to it']


def _directory(file, where):
    """Return [a warning] if the directory of the instruction is missing, unless a start makes it.

    A start of swift-init or of the systemd unit makes the one of the default.
    """
    folder = os.path.dirname(file)
    if os.path.isdir(folder) or folder == os.path.dirname(INSTRUCTION_FILE):
        return []
    return [f'{where}, instruction_file = {file}: there is no directory {folder}; proxies and DNS '
            'would go on without an instruction']
