"""What is in force with a proxy-server.conf, and which options of Swift give way or stand above."""
import os
import pwd

import swift
from swift.common.utils import config_true_value

from swift_lb.book_path import path_of
from swift_lb.check.host import of_entry
from swift_lb.proxy.dispatch import place
from swift_lb.proxy.dispatch.options import DispatchOptions

ERASURE = 'erasure_coding'
TIERS = 'affinity'      # the sorting_method whose tiers swift-lb keeps
SUPERSEDED = 'sorting_method', 'timing_expiry'
STATSD_PORT = '8125'    # Swift's default
USER = 'swift'          # likewise


class PolicyConf:
    """The options of one storage policy, or of all that have no section of their own."""

    def __init__(self, index, chosen, base, own, types):
        """`index` is the policy's, None for all others, and `chosen` its ReplicaOptions.

        `base` are the options of the app, {name: text}, and `own` those of the policy's section,
        `base` too if the index is None. `types` is {index: type} of swift.conf, or None.
        """
        self.index, self.chosen = index, chosen
        self._given, self._texts = own, base | own
        self._erasure = (types or {}).get(index) == ERASURE

    @property
    def _concurrent(self):
        return config_true_value(self._texts.get('concurrent_gets'))

    @property
    def keeps_tiers(self):
        """Whether swift-lb orders only within the tiers of Swift's read affinity."""
        return self.chosen.enabled and self._texts.get('sorting_method', '').lower() == TIERS

    def fact(self):
        """Return (name, text) on what is in force."""
        name = ('every storage policy' if self.index is None else f'storage policy {self.index}')
        return name, (f'lb_policy = {self.chosen.policy}, {self._hedging()}' if self.chosen.enabled
                      else "Swift's own order (lb_enabled = false)")

    def _hedging(self):
        reasons = {'lb_hedge = off': self.chosen.hedge == 'off', 'erasure code': self._erasure,
                   'concurrent_gets is on': self._concurrent}
        why = next((reason for reason, holds in reasons.items() if holds), None)
        return f'no hedging ({why})' if why else 'late reads are hedged'

    def warnings(self, where):
        """Return the sentences on options of Swift that lb_ options supersede, or that do so.

        `where`, file and section, begins each of them.
        """
        if not self.chosen.enabled:
            return []
        scope = '' if self.chosen.account_container else ' for reads of objects'
        found = [f'{where}, {name} = {self._given[name]}: superseded by lb_policy = '
                 f'{self.chosen.policy}{scope}' for name in SUPERSEDED
                 if name in self._given and not self.keeps_tiers]
        if self._concurrent and 'concurrent_gets' in self._given and self.chosen.hedge == 'auto':
            found.append(f'{where}, concurrent_gets = {self._given["concurrent_gets"]}: rules out '
                         'lb_hedge = auto; Swift asks the next node after concurrency_timeout')
        return found


def facts_of(conf, policies):
    """Return {name: text} on what is in force with a PasteConf; `policies` are its PolicyConfs."""
    facts = dict(policy.fact() for policy in policies)
    if any(policy.keeps_tiers for policy in policies):
        facts['read affinity'] = 'kept: lb_policy orders the devices of each tier'
    return facts | {
        'lb_book': _book(policies[0].chosen.book, conf), 'dispatcher': _dispatcher(conf),
        'StatsD': _statsd(conf.options),
        'Swift': f'{swift.__version__}, whose internals swift-lb knows'}


def _book(book, conf):
    path = path_of(book, conf.path, _uid(conf.options.get('user', USER)))
    return 'one for each worker' if path is None else f'{path}, of all workers of this host'


def _uid(user):
    """Return the id of a user, that of this process if there is no such user."""
    try:
        return pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError):
        return os.geteuid()


def _dispatcher(conf):
    return ', '.join(
        f'{context.name}, policy = {context.local_conf.get("policy", DispatchOptions.policy)}'
        for context in of_entry(conf, place.NAME)) or 'none in the pipeline'


def _statsd(options):
    host = options.get('log_statsd_host')
    return f'{host}:{options.get("log_statsd_port", STATSD_PORT)}' if host else (
        'none (log_statsd_host is not set)')
