"""The log lines of the DNS service, from the differences between two status documents."""
from swift_lb.zone.sequence import PUSHING
from swift_lb.zone.targets import UNHEARD

LOG_INTERVAL = 60.0          # seconds between two log lines about the faults of one process


class News:
    """Decides what is logged: each fault once when it begins, and once when it ends."""

    def __init__(self, port):
        """Take the TCP port of the proxies, which log lines about unreachable proxies name."""
        self._port = port
        self._was = {}          # subject -> the fault that was logged last, or None
        self._faults = {}       # process -> (faults logged, when)

    def of(self, document, now):
        """Return [(whether it is a fault, sentence)] of what is new in `document`, the status."""
        changes = [self._change(about, fault, again) for about, fault, again in
                   (*instructed(document), *panics(document), *unheard(document), *silent(document),
                    *self._unreachable(document))]
        changes += [self._of_faults(one, now) for one in document['processes']]
        return [one for one in changes if one]

    def _change(self, about, fault, again):
        """Return (whether it is a fault, sentence) if a fault has begun or ended, else None.

        `about` is its subject, a key; `fault` the sentence of the fault, or None; `again` the
        sentence to log when it ends. A change of the fault's wording is not logged.
        """
        had, self._was[about] = self._was.get(about), fault
        if (had is None) == (fault is None):
            return None
        return (False, again) if fault is None else (True, fault)

    def _unreachable(self, document):
        for proxy in (one for family in document['families'] for one in family['proxies']):
            where = f'{proxy["node"]}: its address {proxy["address"]}, port {self._port}, can'
            yield (proxy['address'], f'{where} not be reached from here: {proxy["unreachable"]}; '
                   'answers are what they were' if proxy['unreachable'] else None,
                   f'{where} be reached again')

    def _of_faults(self, process, now):
        name, count = process['process'], process['faults']
        logged, at = self._faults.get(name, (0, float('-inf')))
        if count <= logged or now - at < LOG_INTERVAL:
            return None
        self._faults[name] = count, now
        return True, f'faults of process {name}: {count - logged}, the last {process["fault"]}'


def instructed(document):
    """Yield (subject, fault or None, line for its end): a fault if there is no Instruction."""
    if document['ttl'] is None:
        return      # no process has reported yet
    why, name = document['without_instruction'], 'answers'
    then = 'all addresses have equal chances'
    if document['mode'] == PUSHING:
        name, then = 'updates', 'none is sent'
    yield ('instruction', None if why is None else
           f'{name} are without an instruction, so that {then}: {why}',
           f'{name} follow an instruction again')


def panics(document):
    """Yield (subject, fault or None, line for its end) for each address family: a panic."""
    for one in document['families']:
        name = one['family']
        yield (f'panic {name}', f'panic: most nodes look bad, so that {name} records of bad ones '
               'are in answers too' if one['panic'] else None,
               f'the panic is over: {name} records are of good nodes only')


def unheard(document):
    """Yield (subject, fault if no agent reports, else None, line when one does) of each node."""
    left_out = {proxy['node']: proxy['left_out'] for family in document['families']
                for proxy in family['proxies']}
    for node, state in left_out.items():
        yield (f'unheard {node}', f'{node} is in no answer: no agent of that name has reported '
               'for a minute; proxies must name nodes as their agents are named'
               if state == UNHEARD else None, f'an agent of the name {node} reports')


def silent(document):
    """Yield (subject, fault if it is silent, else None, line when it reports) of each process."""
    for one in document['processes']:
        name = one['process']
        yield (f'process {name}', None if one['answers'] else
               f'process {name}, pid {one["pid"]}, has not reported for {one["heard"]:.0f} s',
               f'process {name} reports again')
