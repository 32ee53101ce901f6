"""A filter of a package that is neither Swift nor swift-lb: it does nothing."""


def filter_factory(_global_conf, **_local_conf):
    """Return a function that returns the app itself, for PasteDeploy."""
    return lambda app: app
