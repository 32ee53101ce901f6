"""What is in force with a proxy-server.conf, and which options of Swift give way or stand above."""
import os

import swift
from swift.common.utils import config_true_value

from swift_lb.book_path import path_of
from swift_lb.check.host import STATSD, USER, account_of, of_entry
from swift_lb.config import endpoint
from swift_lb.proxy.dispatch import place
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.image.options import ImageFilterOptions

ERASURE = 'erasure_coding'
TIERS = 'affinity'      # the sorting_method whose tiers swift-lb keeps
CONCURRENT = 'concurrent_gets'      # Swift's hedging
SUPERSEDED = 'sorting_method', 'timing_expiry'
STATSD_PORT = '8125'    # Swift's default
STATUS = 'lb_status'    # an entry point


class PolicyConf:
    """The options of one storage policy, or of all that have no section of their own."""

    def __init__(self, index, chosen, base, own, types):
        """`index` is the policy's, None for all others, and `chosen` its ReplicaOptions.

        `base` are the options of the app, {name: text}, and `own` those of the policy's section,
        `base` too if the index is None. `types` is {index: type} of the policies for which these
        options hold, by swift.conf.
        """
        self.index, self.chosen = index, chosen
        self._given, self._texts = own, base | own
        self._erasure = [number for number, kind in types.items() if kind == ERASURE]
        self._replicated = len(self._erasure) < len(types) or not types

    @property
    def _concurrent(self):
        return config_true_value(self._texts.get(CONCURRENT))

    @property
    def keeps_tiers(self):
        """Whether swift-lb orders only within the tiers of Swift's read affinity."""
        return bool(self.chosen.enabled and self._texts.get('read_affinity', '').strip()
                    and self._texts.get('sorting_method', '').lower() == TIERS)

    def fact(self):
        """Return (name, text) on what is in force."""
        name = ('every storage policy' if self.index is None else f'storage policy {self.index}')
        return name, (f'lb_policy = {self.chosen.policy}, {self._hedging()}' if self.chosen.enabled
                      else "Swift's own order (lb_enabled = false)")

    def _hedging(self):
        reasons = {'lb_hedge = off': self.chosen.hedge == 'off',
                   'erasure code': not self._replicated, 'concurrent_gets is on': self._concurrent}
        why = next((reason for reason, holds in reasons.items() if holds), None)
        others = ', '.join(map(str, self._erasure))
        return f'no hedging ({why})' if why else 'late reads are hedged' + (
            f', but not of storage policy {others} (erasure code)' if others else '')

    def warnings(self):
        """Return [(option, rest of a sentence)] on options of Swift that give way, or do not."""
        if not self.chosen.enabled:
            return []
        scope = '' if self.chosen.account_container else ' for reads of objects'
        found = [(name, f' = {self._given[name]}: superseded by lb_policy = {self.chosen.policy}'
                  f'{scope}') for name in SUPERSEDED
                 if name in self._given and not self.keeps_tiers]
        if self._rules_out_hedging() and CONCURRENT in self._given:
            found.append((CONCURRENT, f' = {self._given[CONCURRENT]}: rules out lb_hedge = auto; '
                          'Swift asks the next node after concurrency_timeout'))
        return found

    def _rules_out_hedging(self):
        return self._concurrent and self.chosen.hedge == 'auto' and self._replicated


def facts_of(conf, policies):
    """Return {name: text} on what is in force with a PasteConf; `policies` are its PolicyConfs."""
    facts = dict(policy.fact() for policy in policies)
    name, whole = policies[0].fact()[0], policies[0].chosen
    if len(policies) > 1:
        facts[name] += ', unless it is named below'
    if whole.account_container and whole.enabled:
        facts['accounts and containers'] = f'lb_policy = {whole.policy}'
    if any(policy.keeps_tiers for policy in policies):
        facts['read affinity'] = 'kept: lb_policy orders the devices of each tier'
    return facts | {
        'lb_book': _book(whole.book, conf) if any(policy.chosen.enabled for policy in policies)
        else 'none (lb_enabled = false)', 'dispatcher': _dispatcher(conf),
        'StatsD': _statsd(conf.options), 'status page': _status_page(conf), **_images(conf),
        'Swift': f'{swift.__version__}, whose internals swift-lb knows'}


def _book(book, conf):
    path = path_of(book, conf.path, _uid(conf.options.get('user', USER)))
    return 'one for each worker' if path is None else f'{path}, of all workers of this host'


def _uid(user):
    """Return the id of a user, that of this process if there is no such user."""
    account = account_of(user)
    return os.geteuid() if account is None else account.pw_uid


def _dispatcher(conf):
    return ', '.join(
        f'{context.name}, policy = {context.local_conf.get("policy", DispatchOptions.policy)}'
        for context in of_entry(conf, place.NAME)) or 'none in the pipeline'


def _status_page(conf):
    return ', '.join(f'{context.name}, for this host' + (
        ', and for others with its key' if context.local_conf.get('key', '').strip() else '')
        for context in of_entry(conf, STATUS)) or (
            'none in the pipeline; `swift-lb top` and `swift-lb why` need lb_status')


def _images(conf):
    at = [f'{context.name}, decoder at '
          + context.local_conf.get('socket', ImageFilterOptions.socket).strip()
          for context in of_entry(conf, place.IMAGES)]
    return {'images': ', '.join(at)} if at else {}


def _statsd(options):
    host = options.get(STATSD)
    return endpoint(host, options.get('log_statsd_port', STATSD_PORT)) if host else (
        f'none ({STATSD} is not set)')
