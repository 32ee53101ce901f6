"""A paste filter for the object server that makes its node or its devices slow, or break."""


def filter_factory(_global_conf, **_local_conf):
    """Return the filter; it does nothing yet."""
    return lambda app: app
