"""The check of an object-server.conf: its load report."""
from swift_lb.check.conf_kinds import OBJECT, unread_files
from swift_lb.check.host import missing_user, of_entry
from swift_lb.check.servers import server_faults
from swift_lb.check.strays import OF_PROXIES, misplaced_filters, overruled, unused_filters
from swift_lb.check.verdict import made
from swift_lb.config import boolean
from swift_lb.proxy.paste_conf import load

REPORT = 'lb_report'


def examine(path):
    """Return the Verdict on the object-server.conf at `path`, a file or a directory.

    Raises ConfigError if it cannot be read.
    """
    conf = load(path)
    faults = server_faults(conf, OBJECT)
    warnings = [*unread_files(path), *misplaced_filters(conf, OF_PROXIES), *unused_filters(conf),
                *overruled(conf), *(missing_user(conf.options, path) if conf.app else ())]
    reports = of_entry(conf, REPORT)
    if not reports and not faults:
        return made(path, OBJECT, (), warnings, absent=(
            f'{conf.where}: swift-lb is not in force, as the pipeline has no {REPORT}; put it '
            f'before {conf.app.name}, with use = egg:swift-lb#{REPORT} in [filter:{REPORT}]'))
    facts = {} if faults else {REPORT: _fact(reports[0])}
    return made(path, OBJECT, faults, warnings, facts)


def _fact(context):
    declines = boolean(context.local_conf.get('declining', 'true').strip())
    return f'[filter:{context.name}] ' + (
        'declines reads over the limit that a proxy sends' if declines
        else 'declines no read (declining = false)')
