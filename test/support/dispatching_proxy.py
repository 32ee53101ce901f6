"""The filter lb_dispatcher in front of an app that says `here`, with an Instruction of its own."""
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
    """A logger that keeps its lines."""

    txn_id = None

    def __init__(self):
        self.said = []

    def warning(self, text, *args):
        self.said.append(text % args)

    exception = warning


class DispatchingProxy:
    """A Dispatcher in front of an app that says `here`."""

    def __init__(self, where, policy=None, **options):
        """Use `policy`, or one that delegates everything if None."""
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
        """Write an Instruction that knows this proxy and `peers`, ScriptedServers."""
        nodes = [NodeInstruction('me', '127.0.0.1:1', UP, 1.0, 1.0, 0.5, 1.0, 0.0)]
        states = [*states, *[UP] * len(peers)]
        nodes += [NodeInstruction(
            f'p{number}', f'127.0.0.1:{peer.port}', state, 1.0, 1.0, 0.5, 1.0, 0.5)
                  for number, (peer, state) in enumerate(zip(peers, states, strict=False))]
        instruction_file.write(self.where / 'instruction', make_instruction(
            1, clock.monotonic() + expires_in, 'balanced', panic, tuple(nodes), 'd'))
        self.filter._current._path = None       # look now

    def ask(self, env=None):
        """Return (status line, headers, body)."""
        started = []
        body = self.filter(env_of() if env is None else env, lambda status, headers, *_exc:
                           started.append((status, dict(headers))))
        try:
            return (*started[0], b''.join(body))
        finally:
            if hasattr(body, 'close'):
                body.close()

    def report(self, seconds):
        """Let the first peer report that a request takes `seconds` there; return its record."""
        chooser = self.filter.chooser
        chooser.follow()
        record = chooser.ledger.record(chooser.view.peers[0])
        record.outlook.report(PeerLoad(0, seconds, 0.0), 0, clock.monotonic())
        return record

    @property
    def counts(self):
        """What the filter has counted, without `local` and `times`."""
        return {name: count for name, count in self.filter._counts.counts.items()
                if name.split()[0] not in ('local', *TIMES)}

    @property
    def local(self):
        """How often it has served a request here, by reason."""
        return {name.removeprefix('local '): count for name, count
                in self.filter._counts.counts.items() if name.startswith('local ')}

    @property
    def times(self):
        """The counters of microseconds."""
        return {name: count for name, count in self.filter._counts.counts.items()
                if name.split()[0] in TIMES}
