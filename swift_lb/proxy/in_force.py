"""What of swift-lb is in force in a proxy, for /info, the log, and the metric `info`; no secrets.

Swift makes a proxy's app in the parent of its workers first, to find the faults of its conf, and
then in each worker. So the sentence for the log is due once in a process and all of its forks.
"""
from swift.common.registry import register_swift_info
from swift.common.storage_policy import POLICIES, REPL_POLICY

from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.dispatch.place import NAME as DISPATCHER
from swift_lb.version import version

SECTION = 'swift_lb'    # of /info
NONE = 'none'           # no policy of ours orders

_said = set()           # conf files of which a sentence is in the log; forks inherit it


def publish(**facts):
    """Show `facts`, {name: JSON-ready value}, to every client in the section swift_lb of /info."""
    register_swift_info(SECTION, version=version(), **facts)


def publish_replicas(app):
    """Show in /info which policies of the LBApplication `app` order replicas, and what is hedged.

    The name `default` holds for every storage policy that is not named by its index; a policy None
    is Swift's own order.
    """
    options = app.replicas.options
    publish(policies={name_of(index): chosen.policy if chosen.enabled else None
                      for index, chosen in options.items()},
            hedge={name_of(index): hedging(app, index) for index in options})


def name_of(index):
    """Return the name for JSON of a storage policy's index, or of the key None of the options."""
    return 'default' if index is None else str(index)


def hedging(app, index):
    """Return the option lb_hedge that holds for a storage policy of `app`: auto or off.

    Reads with concurrent_gets, and those of erasure-coded objects, are not hedged.
    """
    policy = None if index is None else POLICIES.get_by_index(index)
    hedges = app.replicas.options_of(index).enabled and app.replicas.hedges(index)
    return 'auto' if (hedges and not app.get_policy_options(policy).concurrent_gets and
                      (policy is None or policy.policy_type == REPL_POLICY)) else 'off'


def labels(options):
    """Return [(version, policy)], the labels of the metric `info`, by {index: ReplicaOptions}."""
    used = {chosen.policy for chosen in options.values() if chosen.enabled} or {NONE}
    return [(version(), policy) for policy in sorted(used)]


def sentence(app, filters):
    """Return the sentence for the log at the start of the LBApplication `app`.

    `filters` are {entry point: {option: text}} of its pipeline.
    """
    replicas = [('' if index is None else f'storage policy {index}: ')
                + (f'lb_policy = {chosen.policy}, lb_hedge = {hedging(app, index)}'
                   if chosen.enabled else "Swift's own order (lb_enabled = false)")
                for index, chosen in app.replicas.options.items()]
    dispatcher = filters.get(DISPATCHER)
    return '; '.join((
        f'swift-lb {version()}: {replicas[0]}', *replicas[1:],
        f'lb_book = {app.replicas.options_of(None).book}' if app.replicas.active else 'no lb_book',
        'no lb_dispatcher' if dispatcher is None
        else f'lb_dispatcher: policy = {dispatcher.get("policy", DispatchOptions.policy)}'))


def say_once(app, filters, conf_file):
    """Log the sentence, unless this process, or one that it is a fork of, has done so.

    `conf_file` is the path of the proxy's conf.
    """
    if conf_file not in _said:
        _said.add(conf_file)
        app.logger.info(sentence(app, filters))
