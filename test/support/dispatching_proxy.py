"""A Dispatcher in front of an app, in the test process, with an Instruction that tests write."""
from support.client_env import env_of
from swift_lb import clock, instruction_file
from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.dispatcher import Dispatcher
from swift_lb.wire.peer_load import PeerLoad

TIMES = 'hop_us', 'saved_us', 'lost_us'
KEY = b'a key of 16 or more'


class Log:
    """A logger that keeps its lines in the list `said`."""

    txn_id = client_ip = None

    def __init__(self):
        self.said = []

    def warning(self, text, *args):
        self.said.append(text % args)

    exception = warning


class DispatchingProxy:
    """A Dispatcher in front of an app that answers with the request's body, or b'here' if empty."""

    def __init__(self, where, policy=None, **options):
        """Keep files in the folder `where`; without a `policy` it delegates every request.

        `options` are more fields of DispatchOptions.
        """
        if policy is None:
            policy, options = 'weighted_round_robin', {'weights': {('me',): 0.0}} | options
        self.where, self.served, self.log = where, [], Log()
        (where / 'lb.conf').write_text(f'[lb-agent]\nnode = me\nkey = {KEY.decode()}\n'
                                       f'instruction_file = {where}/instruction\n')
        options = DispatchOptions(policy, str(where / 'lb.conf'), connect_timeout=60.0,
                                  **{'book': 'worker'} | options)
        self.filter = Dispatcher(self.app, options, {}, self.log)
        self.tell()

    def app(self, env, start_response):
        self.served.append(env)
        body = env['wsgi.input'].read()
        start_response('200 OK', [('Content-Length', '4')])
        return [body or b'here']

    def tell(self, *peers, states=(), panic=False, expires_in=600.0):
        """Write an Instruction for this proxy, `me`, and `peers`, ScriptedServers, as p0, p1, ...

        `states` are those of the first peers, the others are up; it is valid for `expires_in` s.
        """
        nodes = [NodeInstruction('me', '127.0.0.1:1', UP, 1.0, 1.0, 0.5, 1.0, 0.0)]
        states = [*states, *[UP] * len(peers)]
        nodes += [NodeInstruction(
            f'p{number}', f'127.0.0.1:{peer.port}', state, 1.0, 1.0, 0.5, 1.0, 0.5)
                  for number, (peer, state) in enumerate(zip(peers, states, strict=False))]
        instruction_file.write(self.where / 'instruction', make_instruction(
            1, clock.monotonic() + expires_in, 'balanced', panic, tuple(nodes), 'd'))
        self.filter._current._path = None       # look now

    def ask(self, env=None):
        """Return the answer to the WSGI request `env`: (status line, {header: value}, body)."""
        started = []
        body = self.filter(env_of() if env is None else env, lambda status, headers, *_exc:
                           started.append((status, dict(headers))))
        try:
            content = b''.join(body)    # first: an app may start its answer with the first piece
            return (*started[0], content)
        finally:
            if hasattr(body, 'close'):
                body.close()

    def report(self, seconds):
        """Let the first peer report that a request there takes `seconds`; return its record."""
        chooser = self.filter.chooser
        chooser.follow()
        record = chooser.ledger.record(chooser.view.peers[0])
        record.outlook.report(PeerLoad(0, seconds, 0.0), 0, clock.monotonic())
        return record

    @property
    def counts(self):
        """{name: count} of the filter's counters, without those of `local` and `times`."""
        return {name: count for name, count in self.filter._counts.counts.items()
                if name.split()[0] not in ('local', *TIMES)}

    @property
    def local(self):
        """{reason: requests} that the filter has passed to the app instead of to a peer."""
        return {name.removeprefix('local '): count for name, count
                in self.filter._counts.counts.items() if name.startswith('local ')}

    @property
    def times(self):
        """{name: microseconds} of the counters whose names begin with one of TIMES."""
        return {name: count for name, count in self.filter._counts.counts.items()
                if name.split()[0] in TIMES}
