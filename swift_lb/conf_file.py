"""/etc/swift/lb-server.conf: the sections of its daemons, and what they have in common.

[DEFAULT] lends its options to every section, so that each daemon must know what is another's: NAMES
has it, without the modules that know what the options mean.
"""
import configparser

from swift_lb.errors import ConfigError
from swift_lb.regular_file import open_regular

AGENT, DNS = 'lb-agent', 'lb-dns'
INSTRUCTION_FILE = '/var/run/swift/lb-instruction.json'
NAMES = {section: tuple(names.split()) for section, names in {
    AGENT: '''node bind_ip bind_port http_ip http_port http_key peers key key2 mode interval proxy
              proxy_conf check instruction_file dampening ramp devices interfaces speed rules metric
              alpha beta gamma rho band ratio floor tau hysteresis reject critical''',
    DNS: '''node zone names ns hostmaster proxies mode ttl ttl_min patience ns_ttl negative_ttl
            refresh retry expire https bind_ip bind_port workers instruction_file tcp_clients
            tcp_timeout rrl_rate rrl_slip rrl_exempt cookie_key cookie_key2 nsid proxy_port http_ip
            http_port http_key update_server update_key_name update_key update_algorithm
            update_interval''',
}.items()}


def read_sections(path, wanted):
    """Return {section: {option: text}} of the conf file at `path`; raises ConfigError.

    There must be a section `wanted`.
    """
    parser = configparser.RawConfigParser(default_section='')     # [DEFAULT] is ours
    try:
        with open_regular(path, encoding='utf-8') as conf:
            parser.read_file(conf)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        raise ConfigError(unreadable(err, path)) from None
    if not parser.has_section(wanted):
        raise ConfigError([f'{path}: there is no section [{wanted}]'])
    return {name: dict(parser.items(name)) for name in parser.sections()}


def unreadable(err, path):
    """Return sentences on why a conf file can not be read; what stands there may be a key."""
    if isinstance(err, configparser.ParsingError):
        lines = [number for number, _text in getattr(err, 'errors', ())] or [err.lineno]
        return [f'{path}, line {number}: must be [SECTION], OPTION = VALUE below one, or a comment'
                for number in lines]
    if isinstance(err, configparser.DuplicateOptionError):
        return [f'{path}, line {err.lineno}: [{err.section}] has {err.option} twice']
    if isinstance(err, configparser.DuplicateSectionError):
        return [f'{path}, line {err.lineno}: [{err.section}] is there twice']
    return [f'{path}: {getattr(err, "strerror", None) or err}']
