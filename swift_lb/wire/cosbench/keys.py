"""The keys of config strings: accepted values and defaults, for each kind of element."""
from collections.abc import Callable
from typing import NamedTuple

from swift_lb.wire.cosbench import kinds, selectors

REQUIRED = object()
MAX_RETRIES = 1000   # of a login, 3 s apart: almost an hour


class Key(NamedTuple):
    """The definition of a config key: the parser of its value, its default, a check for odd values.

    An odd value is one that is accepted, but that COSBench reads unexpectedly.
    """

    kind: Callable = kinds.text
    default: object = None
    odd: Callable = lambda _value: None   # value as written -> a sentence, or None


def odd_content(value):
    """Return a warning if `value` is no content that COSBench knows (random, zero), else None."""
    return None if value in ('random', 'zero') else 'is neither random nor zero; taken for random'


def odd_name(value):
    """Return a warning if a name would break the CSV files that it appears in, else None."""
    if ',' in value or '"' in value:
        return 'will confuse readers of the CSV files, in which nothing is quoted'
    return None


OPERATION = {   # of an operation and of the elements that contain it
    'containers': Key(selectors.numbers, None, selectors.odd_numbers),
    'cprefix': Key(kinds.name_part, 'mycontainers'),
    'csuffix': Key(kinds.name_part, ''),
    'objects': Key(selectors.numbers, None, selectors.odd_numbers),
    'oprefix': Key(kinds.text, 'myobjects'),
    'osuffix': Key(kinds.text, ''),
    'sizes': Key(selectors.sizes, None, selectors.odd_sizes),
    'content': Key(kinds.text, 'random', odd_content),
    'chunked': Key(kinds.flag, False),
    'hashCheck': Key(kinds.flag, False),
    'createContainer': Key(kinds.flag, False),
    'deleteContainer': Key(kinds.flag, False),
    'files': Key(kinds.some_text),
    'fileselection': Key(kinds.file_selection),
    'name': Key(kinds.one_name, None, odd_name),
    'histogram': Key(kinds.flag, True),
}

TLS = {   # not in COSBench
    'insecure': Key(kinds.flag, False),
    'cacert': Key(kinds.some_text),
}
ANY_AUTH = {
    'logging': Key(kinds.flag, False),
    'caching': Key(kinds.flag, False),
    'retry': Key(kinds.whole(0, MAX_RETRIES), 0),
}
PASSWORD_AUTH = {
    'username': Key(kinds.some_text, REQUIRED),
    'password': Key(kinds.text, REQUIRED),
    **TLS,
}
AUTH = {
    'none': ANY_AUTH,
    'mock': {
        **ANY_AUTH,
        'token': Key(kinds.header, 'token'),
        'delay': Key(kinds.milliseconds(0), 0.010),
    },
    'swauth': {
        **ANY_AUTH, **PASSWORD_AUTH,
        'auth_url': Key(kinds.url, 'http://127.0.0.1:8080/auth/v1.0'),
        'timeout': Key(kinds.milliseconds(1), 30.0),
    },
    'keystone': {
        **ANY_AUTH, **PASSWORD_AUTH,
        'auth_url': Key(kinds.url, 'http://127.0.0.1:5000/v2.0'),
        'timeout': Key(kinds.milliseconds(1), 10.0),
        'tenant_name': Key(kinds.some_text, REQUIRED),
        'service': Key(kinds.some_text, 'swift'),
        # not in COSBench: version 3 of Keystone's API
        'version': Key(kinds.whole(2, 3)),
        'user_domain': Key(kinds.some_text, 'Default'),
        'project_domain': Key(kinds.some_text, 'Default'),
        'region': Key(kinds.text, ''),
    },
}
ANY_STORAGE = {'logging': Key(kinds.flag, True)}
STORAGE = {
    'none': ANY_STORAGE,
    'mock': {
        **ANY_STORAGE,
        'size': Key(kinds.whole(0), 1000),
        'delay': Key(kinds.milliseconds(0), 0.010),
        'errors': Key(kinds.fraction, 0.0),
        'printing': Key(kinds.flag, False),
        'doStats': Key(kinds.flag, False),
    },
    'swift': {
        **ANY_STORAGE, **TLS,
        'timeout': Key(kinds.milliseconds(1), 30.0),
        'token': Key(kinds.header, 'AUTH_xxx'),
        'storage_url': Key(kinds.urls, ('http://127.0.0.1:8080/auth/v1.0',)),
        'policy': Key(kinds.header),
    },
}
TYPES = {'auth': AUTH, 'storage': STORAGE}
TYPE_ALIASES = {'tempauth': 'swauth'}
ALIASES = {'swauth': {'url': 'auth_url'},
           'keystone': {'url': 'auth_url', 'tenname': 'tenant_name', 'project': 'tenant_name'}}
