"""The storage nodes of a lab: what they report, and the rules they are under."""
import contextlib
import json
import pathlib

from swift_lb.clock import monotonic, sleep
from swift_lb.errors import LabError
from swift_lb.lab import rules, rules_file
from swift_lb.lab.change import changed
from swift_lb.lab.ready import http_get

NOTICE = 2.0     # seconds a busy node may take to notice new rules
ANSWER = 5.0     # seconds a node may take to report
COUNTS = ('served', 'failed', 'gone', 'in_service', 'queued', 'hanging')
NOTHING = dict.fromkeys(COUNTS, 0) | {'by_method': {}}


class Nodes:
    """All storage nodes of one lab; the first is number 1."""

    def __init__(self, directory, addresses, devices):
        """Speak of the lab in `directory`: `addresses` {node: (ip, port)}, names of `devices`."""
        self._directory, self._addresses = pathlib.Path(directory), addresses
        self._devices = devices

    def report(self, node):
        """Return what `node` says of its rules and its devices; None if it does not answer."""
        with contextlib.suppress(OSError):
            status, _headers, body = http_get(*self._addresses[node], '/lb_handicap', ANSWER)
            return json.loads(body) if status == 200 else None
        return None

    def served(self):
        """Return {(node, device): counts} of all devices whose node answers; see Lab.served."""
        reports = {node: self.report(node) for node in self._addresses}
        return {(node, device): report['devices'].get(device, NOTHING)
                for node, report in reports.items() if report for device in self._devices}

    def rules(self):
        """Return {node: document}, what is set for each node; see rules.py."""
        return {node: rules_file.read(self._path(node)) for node in self._addresses}

    def capacity(self):
        """Return {node: requests per second}, math.inf where nothing is set."""
        return {node: rules.capacity(rules.parse(document), self._devices)
                for node, document in self.rules().items()}

    def change(self, **words):
        """Set the rules that change.changed makes of `words`; return when all nodes know them.

        A node that is down learns them when it starts.
        """
        before = self.rules()
        after = changed(before, self._devices, **words)
        fresh = {node: after[node] for node in after if after[node] != before[node]}
        for node, document in fresh.items():
            rules_file.write(self._path(node), document)
        for node, document in fresh.items():
            self._await(node, document)

    def _path(self, node):
        return rules_file.path_of(self._directory, node)

    def _await(self, node, document):
        until = monotonic() + NOTICE
        while (report := self.report(node)) and report['rules'] != document:
            if monotonic() > until:
                raise LabError(f'node {node} does not take its new rules; '
                               f'its log says why: {self._directory}/log/object-{node}.log')
            sleep(rules_file.LOOK / 5)
