"""Config strings of a workload's elements, `key=value;key=value`: parsing, inheritance, checks."""
from functools import lru_cache
from types import MappingProxyType

from swift_lb.wire.cosbench.findings import shown
from swift_lb.wire.cosbench.keys import OPERATION, REQUIRED
from swift_lb.wire.cosbench.kinds import BLANKS, CONTROL

MAX_LENGTH = 4096   # characters of one config string


@lru_cache(maxsize=64)   # many operations inherit the same strings
def entries(config):
    """Return {key: value} of a config string; of a repeated key the last value counts."""
    pairs = (entry.partition('=') for entry in config.split(';'))
    return MappingProxyType({key.strip(BLANKS): value.strip(BLANKS) for key, equals, value in pairs
                             if equals and key.strip(BLANKS)})


def inherited(*configs):
    """Return one config string that unites those of nested elements, the outermost element's first.

    COSBench puts the parent's string in front of the child's, and the last value of a key wins.
    Here each key is written only once, so that inheriting a string again changes nothing.
    """
    merged = {}
    for config in configs:
        merged |= entries(config)
    return ';'.join(f'{key}={value}' for key, value in merged.items())


def handed_down(parent, own, where, findings):
    """Return the config string that an element passes on: its `parent`'s, changed by its `own`.

    Faults in `own` are added to `findings`; `where` is (line, the element's tag). If the result has
    more than MAX_LENGTH characters, `parent` is returned.
    """
    check(own, OPERATION, {}, where, findings)
    merged = inherited(parent, own)
    if len(merged) > MAX_LENGTH >= len(own):
        findings.fault(where[0], f'<{where[1]}> config: must not be longer than {MAX_LENGTH} '
                                 'characters with what it inherits')
    return merged if len(merged) <= MAX_LENGTH else parent


def check(config, keys, aliases, where, findings):
    """Add to `findings` everything wrong or odd in a config string.

    `where` is (line, the element's tag), `keys` {accepted name: Key}, `aliases` {other name: name}.
    A wrong value is a fault if an operation uses it, else a warning: the string of an inner element
    may override it.
    """
    line, element = where
    if len(config) > MAX_LENGTH:
        findings.fault(line, f'<{element}> config: must not be longer than {MAX_LENGTH} characters')
        return
    if CONTROL.search(config):
        findings.fault(line, f'<{element}> config: must not have control characters in it')
    seen = {}
    for entry in filter(None, (part.strip(BLANKS) for part in config.split(';'))):
        key, equals, value = (part.strip(BLANKS) for part in entry.partition('='))
        if not equals or not key:
            findings.warn(line, f'<{element}> config: {shown(entry)} is not key=value and is '
                                'ignored')
            continue
        if seen.get(key, value) != value:
            findings.warn(line, f'<{element}> config: {shown(key)} is written more than once; the '
                                f'last value counts, {shown(value)}')
        seen[key] = value
        check_entry(aliases.get(key, key), key, value, keys, where, findings, aliases)


def check_entry(meant, key, value, keys, where, findings, aliases):
    """Add to `findings` what is wrong or odd in one `key=value` of a config string.

    `meant` is the accepted name that `key` is an alias of, else `key` itself. `keys` is {accepted
    name: Key}, `aliases` {other name: name}, `where` (line, the element's tag).
    """
    line, element = where
    if meant not in keys:
        findings.unknown(line, f'<{element}> config: key', key, [*keys, *aliases])
        return
    text = f'<{element}> config: {key}={shown(value)}'
    try:
        keys[meant].kind(value)
    except ValueError as err:
        findings.doubt(line, f'{text} {err}', (key, value))
        return
    if odd := keys[meant].odd(value):
        findings.warn(line, f'{text} {odd}')


def settings(config, keys, aliases=None):
    """Return ({key: typed value, with defaults}, names of required keys that are missing).

    `keys` is {accepted name: Key}, `aliases` {other name: name}. A wrong value is replaced by the
    default, as `check` has reported it. The value of a name takes precedence over that of its
    alias.
    """
    written = dict(entries(config))
    for alias, key in (aliases or {}).items():
        if alias in written:
            written.setdefault(key, written[alias])
    values, missing = {}, []
    for name, key in keys.items():
        values[name] = None if key.default is REQUIRED else key.default
        if name in written:
            try:
                values[name] = key.kind(written[name])
            except ValueError:
                continue
        elif key.default is REQUIRED:
            missing.append(name)
    return values, missing
