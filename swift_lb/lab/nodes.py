"""A lab's storage nodes, or its proxies: what they counted, and the rules that slow them down."""
import contextlib
import json
import pathlib

from swift_lb.clock import monotonic, sleep
from swift_lb.errors import LabError
from swift_lb.lab import conf, rules, rules_file
from swift_lb.lab.change import changed
from swift_lb.lab.network import NODE
from swift_lb.lab.ready import http_get

NOTICE = 2.0     # seconds that a busy node may take to apply new rules
ANSWER = 5.0     # seconds that a node may take to return its report
COUNTS = ('served', 'failed', 'gone', 'in_service', 'queued', 'hanging')
NO_COUNTS = dict.fromkeys(COUNTS, 0) | {'by_method': {}}


class HandicappedServers:
    """All storage nodes, or all proxies, of one lab, numbered from 1, with their handicaps."""

    def __init__(self, directory, addresses, devices, kind=NODE):
        """Represent the servers at `addresses`, {node: (ip, port)}, of the lab in `directory`.

        `devices` are the names of each node's devices. If `kind` is PROXY, "node" means a proxy in
        all methods.
        """
        self._directory, self._addresses = pathlib.Path(directory), addresses
        self._devices, self._kind = devices, kind

    def report(self, node):
        """Return the rules and counts of `node`, a dict (see Gate.report); None if it is down."""
        with contextlib.suppress(OSError):
            status, _headers, body = http_get(*self._addresses[node], '/lb_handicap', ANSWER)
            return json.loads(body) if status == 200 else None
        return None

    def served(self):
        """Return {(node, device): counts of requests} of each node that answers; see Lab.served."""
        reports = {node: self.report(node) for node in self._addresses}
        return {(node, device): report['devices'].get(device, NO_COUNTS)
                for node, report in reports.items() if report for device in self._devices}

    def rules(self):
        """Return {node: document}, the handicap of each node as its file has it; see rules.py."""
        return {node: rules_file.read(self._path(node)) for node in self._addresses}

    def capacity(self):
        """Return {node: requests per second that its rules let it answer}; math.inf is no limit."""
        return {node: rules.capacity(rules.parse(document), self._devices)
                for node, document in self.rules().items()}

    def change(self, **words):
        """Change the nodes' rules; return when all running nodes apply the new rules.

        `words` are arguments of change.changed(). A node that is down reads its rules when it
        starts.
        """
        before = self.rules()
        after = changed(before, self._devices, kind=self._kind, **words)
        fresh = {node: after[node] for node in after if after[node] != before[node]}
        for node, document in fresh.items():
            rules_file.write(self._path(node), document)
        for node, document in fresh.items():
            self._await(node, document)

    def _path(self, node):
        return conf.rules_path(self._directory, self._name(node))

    def _name(self, node):
        return f'{self._kind.server}-{node}'

    def _await(self, node, document):
        until = monotonic() + NOTICE
        while (report := self.report(node)) and report['rules'] != document:
            if monotonic() > until:
                raise LabError(f'{self._kind.one} {node} does not take its new rules; its log '
                               f'says why: {self._directory}/log/{self._name(node)}.log')
            sleep(rules_file.CHECK_INTERVAL / 5)
