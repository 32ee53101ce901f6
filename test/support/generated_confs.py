"""Confs of a proxy, good and bad ones: a good one with edits, as a file or as a directory."""
import random

PIPELINE = ('catch_errors gatekeeper healthcheck lb_status proxy-logging lb_dispatcher cache '
            'tempauth lb_image copy slo dlo proxy-logging proxy-server')
ENTRIES = {'cache': 'memcache', 'proxy-logging': 'proxy_logging'}
APP, MAIN, DEFAULT, POLICY = 'app:proxy-server', 'pipeline:main', 'DEFAULT', 'proxy-server:policy:'
OURS = 'lb_'


def good(swift_dir):
    """Return {section: {option: text}} of a good conf, with the rings of `swift_dir`."""
    filters = {f'filter:{word}': {'use': f'egg:{"swift-lb" if word.startswith(OURS) else "swift"}#'
                                         f'{ENTRIES.get(word, word)}'}
               for word in dict.fromkeys(PIPELINE.split()[:-1])}
    return {DEFAULT: {'bind_port': '8080', 'swift_dir': swift_dir, 'log_level': 'CRITICAL',
                      'user': 'root'},
            MAIN: {'pipeline': PIPELINE}, APP: {'use': 'egg:swift-lb#proxy'}, **filters}


def put(section, **options):
    """Return an edit: it sets options of a section, and a `set_NAME` as `set NAME`."""
    def edit(conf):
        conf.setdefault(section, {}).update(
            {name.replace('set_', 'set '): text for name, text in options.items()})
    return edit


def word(old, new):
    """Return an edit: it replaces a word of the pipeline by words, the first time it is there."""
    def edit(conf):
        words = f' {conf.get(MAIN, {}).get("pipeline", "")} '
        if MAIN in conf:
            conf[MAIN]['pipeline'] = words.replace(f' {old} ', f' {new} ', 1).strip()
    return edit


def drop(section, option=None):
    """Return an edit: it removes a section, or an option of it."""
    def edit(conf):
        if option is None:
            conf.pop(section, None)
        else:
            conf.get(section, {}).pop(option, None)
    return edit


def both(*edits):
    """Return an edit that makes all of `edits`."""
    def edit(conf):
        for each in edits:
            each(conf)
    return edit


def use(section, text):
    """Return an edit: it sets `use` of a section."""
    return put(section, use=text)


def twice(text):
    """Return an edit: it appends `text` to the file, which may have the section already."""
    return put('\n', text=text)


def rename(section, name):
    """Return an edit: it gives a section another name."""
    def edit(conf):
        if section in conf:
            conf[name] = conf.pop(section)
    return edit


def by_factory(section, kind, path):
    """Return an edit: the section of an app or filter, `kind`, names it by MODULE:FUNCTION."""
    return both(drop(section, 'use'), put(section, **{f'paste.{kind}_factory': path}))


GOOD = {
    'as it is': both(),
    'interpolated from [DEFAULT]': both(put(DEFAULT, mypol='shuffle'),
                                        put(APP, lb_policy='%(mypol)s')),
    'interpolated in its section': put(APP, mine='lb_rlt', lb_policy='%(mine)s'),
    'interpolated in a policy': both(put(DEFAULT, age='7'),
                                     put(POLICY + '1', lb_max_age='%(age)s')),
    'a percent sign': put(APP, trans_id_suffix='50%'),
    'lb_policy in [DEFAULT]': put(DEFAULT, lb_policy='shuffle'),
    '[DEFAULT] before the app': both(put(DEFAULT, lb_policy='shuffle'), put(APP, lb_policy='x')),
    'set before [DEFAULT]': both(put(DEFAULT, lb_max_age='x'), put(APP, set_lb_max_age='5')),
    'plain Swift': use(APP, 'egg:swift#proxy'),
    'plain Swift, a wrong lb_policy': both(use(APP, 'egg:swift#proxy'), put(APP, lb_policy='x')),
    'the egg in another spelling': use(APP, 'egg:Swift.LB#proxy'),
    'a section that uses another': both(use('filter:lb_status', 'base'),
                                        use('filter:base', 'egg:swift-lb#lb_status')),
    'faults in an unused filter': both(word('lb_status', ''), put('filter:lb_status', kye='x')),
    'no such entry point, unused': use('filter:old', 'egg:swift-lb#lb_gone'),
    'lb_report in a proxy': both(word('copy', 'lb_report copy'),
                                 use('filter:lb_report', 'egg:swift-lb#lb_report')),
    'in capitals': put(APP, LB_POLICY='x'),
    'a misspelt section': put('proxy-server:polcy:1', lb_policy='x'),
    'sorting_method': put(APP, sorting_method='timing'),
    'concurrent_gets': put(APP, concurrent_gets='true'),
    'two policies': both(put(POLICY + '0', lb_enabled='false'), put(POLICY + '1', lb_hedge='off')),
    'a factory without an egg': put('filter:healthcheck', **{
        'paste.filter_factory': 'swift.common.middleware.healthcheck:filter_factory'}),
    'an app by its other word': rename(APP, 'application:proxy-server'),
    'blanks in the names of sections': both(rename(APP, 'app: proxy-server'),
                                            rename('filter:cache', 'filter: cache ')),
    'a pipeline over several lines': word('cache tempauth', '\n  cache\n  # of tests\n  tempauth'),
    'a word without a section': word('copy', 'copy egg:swift#symlink'),
    'a pipeline in a pipeline': both(word('slo dlo proxy-logging proxy-server', 'inner'), put(
        'pipeline:inner', pipeline='slo dlo proxy-logging proxy-server')),
    'a filter with a filter': put('filter:slo', **{'filter-with': 'dlo'}),
    'the pipeline with a filter': both(word('lb_dispatcher', ''), word('dlo', ''),
                                       put(MAIN, **{'filter-with': 'healthcheck'})),
    'an app with a filter': put(APP, **{'filter-with': 'healthcheck'}),
    'an app behind a filter': both(word('proxy-server', 'front'), put(
        'filter-app:front', use='egg:swift#symlink', next='proxy-server')),
    'the app by its factory': by_factory(APP, 'app', 'swift_lb.proxy.application:app_factory'),
    'the dispatcher by its factory': both(
        by_factory('filter:lb_dispatcher', 'filter', 'swift_lb.proxy.dispatcher:filter_factory'),
        rename('filter:lb_dispatcher', 'filter:front'), word('lb_dispatcher', 'front')),
    'a blank before the index of a policy': put(POLICY + ' 1', lb_policy='shuffle'),
    'the same option in [DEFAULT] and a filter': both(put(DEFAULT, policy='x'),
                                                      put('filter:lb_dispatcher', policy='x')),
    'TLS without a dispatcher': both(word('lb_dispatcher', ''), put(APP, cert_file='/c.pem')),
}
BAD = {
    'a filter without a section': drop('filter:lb_status'),
    'a misspelt filter': word('proxy-logging', 'proxy-loging'),
    'a misspelt filter of ours': word('lb_dispatcher', 'lb_dispacher'),
    'a misspelt entry point': use('filter:tempauth', 'egg:swift#tempaut'),
    'a misspelt entry point of ours': use(APP, 'egg:swift-lb#proxi'),
    'an app as a filter': use('filter:lb_status', 'egg:swift-lb#proxy'),
    'a package that is not there': use('filter:tempauth', 'egg:swauth#swauth'),
    'a section that uses none': use('filter:lb_status', 'base'),
    'a name that is not set': put(APP, lb_policy='%(mypol)s'),
    'such a name in an unused section': put('filter:other', key='%(nothing)s'),
    'a bad name in a filter': put('filter:lb_status', key='%(nothing)s'),
    'half a name': put(APP, lb_policy='%(mypol'),
    'here, which Swift does not know': put(APP, lb_book='%(here)s/a.book'),
    'no port': drop(DEFAULT, 'bind_port'),
    'a port that is none': put(DEFAULT, bind_port='http'),
    'no pipeline': drop(MAIN),
    'an empty pipeline': put(MAIN, pipeline=''),
    'another option in the pipeline': put(MAIN, lb_policy='shuffle'),
    'a wrong value': put(APP, lb_policy='least', lb_max_age='nan'),
    'a misspelt option': put(APP, lb_polcy='shuffle'),
    'a misspelt option in [DEFAULT]': put(DEFAULT, lb_polcy='shuffle'),
    'a wrong value for a policy': put(POLICY + '1', lb_hedge='on'),
    'an option of the whole proxy': put(POLICY + '1', lb_book='worker'),
    'a policy that is not there': put(POLICY + '9', lb_policy='shuffle'),
    'a policy by its name': put(POLICY + 'gold', lb_policy='shuffle'),
    'a misspelt option of a filter': put('filter:lb_dispatcher', polcy='tllb'),
    'a wrong value of a filter': put('filter:lb_image', patience='soon'),
    'a key by another name': put('filter:lb_status', kye='x'),
    'the dispatcher behind authentication': both(word('lb_dispatcher', ''),
                                                 word('copy', 'lb_dispatcher copy')),
    'the dispatcher before the logs': both(word('lb_dispatcher', ''),
                                           word('catch_errors', 'lb_dispatcher catch_errors')),
    'images before authentication': both(word('lb_image', ''),
                                         word('cache', 'lb_image cache')),
    'TLS for the app': put(APP, cert_file='/c.pem'),
    'TLS for all': put(DEFAULT, cert_file='/c.pem'),
    'no line of an option': twice('lb_policy'),
    'no app': drop(APP),
    'two sections for one word': use('filter: cache', 'egg:swift#memcache'),
    'a module that is not there': by_factory('filter:tempauth', 'filter', 'keystone.auth:factory'),
    'a section that uses itself': use('filter:tempauth', 'tempauth'),
    'a section that uses a broken one': both(use('filter:tempauth', 'base'),
                                             use('filter:base', 'egg:swift#tempaut')),
    'a section without use': drop('filter:tempauth', 'use'),
    'a conf that is not there': use(APP, 'config:none.conf'),
    'an entry point in the pipeline that is none': word('copy', 'egg:swift#copi'),
    'a fault in a pipeline in a pipeline': both(word('slo dlo proxy-logging proxy-server', 'inner'),
        put('pipeline:inner', pipeline='slo dloo proxy-server')),
    'a fault in the filter of a filter': both(
        put('filter:slo', **{'filter-with': 'lb_status'}), word('lb_status', ''),
        put('filter:lb_status', kye='x')),
    'the dispatcher behind authentication, by its factory': both(
        by_factory('filter:lb_dispatcher', 'filter', 'swift_lb.proxy.dispatcher:filter_factory'),
        rename('filter:lb_dispatcher', 'filter:front'), word('lb_dispatcher', ''),
        word('copy', 'front copy')),
    'a name that leads to itself': put(APP, lb_policy='%(lb_policy)s'),
    'a percent sign beside a name': put(APP, mine='x', lb_policy='5% %(mine)s'),
    'servers_per_port': put(DEFAULT, servers_per_port='many'),
    'use in [DEFAULT]': put(DEFAULT, use='egg:swift-lb#proxy'),
    'a comment behind a value': put(MAIN, pipeline=f'{PIPELINE} # ours'),
    'a section twice in a file': twice(f'[{APP}]\nlb_hedge = off'),    # in two files it is good
}


def generated(swift_dir, count, seed=1):
    """Yield (the names of the edits, {file: text}) of so many confs; one file, or a directory.

    First come all edits, one by one, then pairs, drawn at random.
    """
    rng, edits = random.Random(seed), GOOD | BAD
    names = [(name,) for name in edits]
    names += [tuple(rng.sample(sorted(edits), 2)) for _more in range(count - len(names))]
    for number, chosen in enumerate(names[:count]):
        conf = good(swift_dir)
        for name in chosen:
            edits[name](conf)
        yield chosen, files(conf, split=number % 3 == 2)


def files(conf, split=False):
    """Return {file name: text} of {section: {option: text}}; two files if `split`."""
    sections = [options['text'] if name == '\n' else f'[{name}]\n' + ''.join(
        f'{option} = {text}\n' for option, text in options.items())
        for name, options in conf.items()]
    half = len(sections) // 2
    parts = [sections[:half], sections[half:]] if split else [sections]
    return {f'{number}0.conf': '\n'.join([*part, '']) for number, part in enumerate(parts)}
