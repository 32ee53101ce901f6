"""The storage policies of Swift, against which the sections of a proxy-server.conf are held."""
import configparser

from swift.common import utils

PREFIX, DEFAULT_TYPE = 'storage-policy:', 'replication'


def swift_conf():
    """Return the path of the swift.conf from which Swift has its storage policies.

    It is /etc/swift/swift.conf, whatever swift_dir a server's conf sets: Swift reads the policies
    before that conf.
    """
    return utils.SWIFT_CONF_FILE


def policy_types():
    """Return {index: type} of the storage policies, None if swift.conf cannot be read or parsed.

    The type is replication or erasure_coding.
    """
    try:
        sections = utils.readconf(swift_conf())
    except (OSError, ValueError, configparser.Error):
        return None
    types = {}
    for name, section in sections.items():
        index = name.removeprefix(PREFIX)
        if index != name and index.isdecimal():
            types[int(index)] = section.get('policy_type', DEFAULT_TYPE).strip()
    return types or {0: DEFAULT_TYPE}


def policy_faults(indexes, types, path):
    """Return a sentence for each of the `indexes`, texts, of which Swift has no storage policy.

    `types` is the result of policy_types(); `path` is the conf that has the sections.
    """
    where = {index: f'{path}, [proxy-server:policy:{index}]' for index in indexes}
    named = [f'{where[index]}: a storage policy is named by its index, not {index!r}'
             for index in indexes if not index.isdecimal()]
    return named + [f'{where[index]}: there is no storage policy {index} in {swift_conf()}'
                    for index in indexes if types is not None
                    and index.isdecimal() and int(index) not in types]


def unread_policies(indexes, types):
    """Return [a warning] if there are `indexes` of policies, but swift.conf cannot be read."""
    return [f'{swift_conf()} can not be read: storage policies were not held against it'] if (
        indexes and types is None) else []
