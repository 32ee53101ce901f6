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


def policy_faults(indexes, types, path, app):
    """Return a sentence for each of the `indexes`, texts, of which Swift has no storage policy.

    `types` is the result of policy_types(); `path` is the conf that has the sections, and `app` the
    name of its app.
    """
    faults = []
    for index in indexes:
        where = f'{path}, [{app}:policy:{index}]'
        try:
            if types is not None and int(index) not in types:
                faults.append(f'{where}: there is no storage policy {int(index)} in {swift_conf()}')
        except ValueError:
            faults.append(f'{where}: a storage policy is named by its index, not {index!r}')
    return faults


def unread_policies(indexes, types):
    """Return [a warning] if there are `indexes` of policies, but swift.conf cannot be read."""
    return [f'{swift_conf()} can not be read: storage policies were not held against it'] if (
        indexes and types is None) else []
