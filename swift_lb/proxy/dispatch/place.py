"""Check the places of the dispatcher and of lb_image in a proxy's pipeline. Pure."""
NAME = 'lb_dispatcher'
LEFT = {        # filters to the left of it: why
    'catch_errors': 'it gives a request its transaction id, which is to be the same in both '
                    "proxies' logs",
    'gatekeeper': 'it removes from a request what no client may send',
    'healthcheck': 'it answers for this proxy, which no other can',
    'proxy_logging': 'the first one logs each request where it came to',
}
EITHER = ('lb_status',)
IMAGES = 'lb_image'
AUTHENTICATES = 'tempauth', 'authtoken', 'keystoneauth', 'tempurl'
MANIFESTS = 'slo', 'dlo'
ONCE = ('what authenticates, limits or rewrites requests must do so once, where they are served, '
        'and its own subrequests must not be delegated')


def faults(pipeline, where, foreign=()):
    """Return a sentence for each filter in `pipeline` on the wrong side of the dispatcher.

    `pipeline` is [(name, entry point), ...], `where` the beginning of each sentence. `foreign` are
    the names of filters that are neither of Swift nor of swift-lb: what they do is not known, so
    they may be anywhere; doubts() has a sentence for them.
    """
    entries = [entry for _name, entry in pipeline]
    if NAME not in entries:
        return []
    at = entries.index(NAME)
    mine, left = pipeline[at][0], entries[:at]
    missing = [entry for entry in LEFT if entry in entries[at:] and entry not in left]
    name_of = {entry: name for name, entry in reversed(pipeline[at:])}      # of the first
    return ([f'{where}: {mine} must be right of {name_of[entry]}: {LEFT[entry]}'
             for entry in missing]
            + [f'{where}: {mine} must be left of {name}: {ONCE}'
               for place, (name, entry) in enumerate(pipeline[:at])
               if entry not in EITHER and (entry not in LEFT or entry in left[:place])
               and (name not in foreign or entry in AUTHENTICATES)])


def doubts(pipeline, where, foreign):
    """Return a sentence for each filter left of the dispatcher that is in `foreign`.

    The arguments are those of faults().
    """
    entries = [entry for _name, entry in pipeline]
    if NAME not in entries:
        return []
    at = entries.index(NAME)
    return [f'{where}: {name}, which is not of Swift, is left of {pipeline[at][0]}: {ONCE}'
            for name, entry in pipeline[:at] if name in foreign and entry not in AUTHENTICATES]


def image_faults(pipeline, where):
    """Return a sentence for each filter in `pipeline` on the wrong side of lb_image.

    The arguments are those of faults().
    """
    entries = [entry for _name, entry in pipeline]
    if IMAGES not in entries:
        return []
    at = entries.index(IMAGES)
    return ([f'{where}: {pipeline[at][0]} must be right of {name}, whose authorisation it uses'
             for name, entry in pipeline[at:] if entry in AUTHENTICATES]
            + [f'{where}: {pipeline[at][0]} must be left of {name}: it reads the whole image, not '
               'its manifest' for name, entry in pipeline[:at] if entry in MANIFESTS])


def misplaced(env):
    """Return a sentence if authentication has run on `env`, or catch_errors has not; else None."""
    if 'swift.authorize' in env:
        return f'{NAME} must be left of what authenticates: {ONCE}'
    if 'swift.trans_id' not in env:
        return f'{NAME} must be right of catch_errors: {LEFT["catch_errors"]}'
    return None
