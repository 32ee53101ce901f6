"""The cost of the dispatcher for a request that stays and for one that is delegated.

    python test/bench/dispatch_cost.py

Microseconds of processor time, the median of rounds, with an Instruction of 4 and of 64 proxies;
the app behind the filter does nothing, and its own time is printed beside. A delegated request is
measured up to the bytes of its head and from the headers of its answer, without the network.

Then what other clusters cost (test/support/cluster_costs.py): a read of a container that is in none
of those that are known, and reads that could leave. Late decisions are those of a whole request,
with all that holds its answer back. Exits with 1 if a limit is not kept.
"""
import sys
import warnings
from pathlib import Path

warnings.simplefilter('ignore')
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.client_env import env_of  # noqa: E402
from support.cluster_costs import cases, microseconds, new_folder  # noqa: E402
from support.dispatching_proxy import KEY, DispatchingProxy  # noqa: E402

from swift_lb.clock import monotonic, wall  # noqa: E402
from swift_lb.proxy.dispatch.facts import FACTS  # noqa: E402
from swift_lb.proxy.dispatch.request import ClientRequest  # noqa: E402
from swift_lb.wire import hop, http_head, peer_load  # noqa: E402

LIMIT = 15.0        # us of a decision to stay
TIMES = 2000        # of a round
ANSWER = ('HTTP/1.1 200 OK\r\n' + ''.join(f'X-Object-Meta-{n}: some value\r\n' for n in range(8))
          + 'Content-Length: 4096\r\nX-Lb-Load: in_flight=7 expected=0.034100 step=0.005200 '
          'took=0.012300\r\nX-Trans-Id: tx\r\n\r\n').encode()


class StubPeer:
    """A stand-in for a peer, of which only the port is used."""

    def __init__(self, port):
        self.port = port


def a_proxy(policy, peers):
    """Return a DispatchingProxy with this number of peers and a shared book, which has served."""
    where = new_folder()
    made = DispatchingProxy(where, policy, book=str(where / 'proxy.book'))
    made.tell(*map(StubPeer, range(1000, 1000 + peers)), expires_in=3600)
    now = monotonic()
    for number in range(500):
        made.filter.served.curve.add(number % 8, 0.02, now)
    made.filter._begin(env_of())
    return made


def stays(policy, peers):
    """Return the us of a request that is not delegated: (decision, filter and app, app alone)."""
    made, env = a_proxy(policy, peers), env_of(path='/v1/AUTH_test/container/object')

    def decide():
        env.pop(FACTS, None)        # as of a new request
        made.filter._order(env)
    made.filter.app = made.app = lambda _env, start: (start('200 OK', []), [b''])[1]
    return (microseconds(decide, TIMES),
            microseconds(lambda: made.filter(env, lambda *_said: None), TIMES),
            microseconds(lambda: made.app(env, lambda *_said: None), TIMES))


def delegated():
    """Return the us to make the head of a delegated request, and to read the head of its answer."""
    env = env_of(path='/v1/AUTH_test/container/object', x_auth_token='AUTH_tk0123456789')

    def both_ways():
        request = ClientRequest(env)
        header = hop.Hop('p1', '10.0.0.2:8080', wall(), '0011223344556677', '198.51.100.7', '4',
                       'http', 'tx00112233445566778899-0011223344', False)
        request.head(hop.encode(KEY, header, request.method, request.target))
        head = http_head.answer_head(ANSWER[:-4], 'GET')
        peer_load.decode(dict(head.headers)['X-Lb-Load'])
        http_head.end_to_end(head.headers)
    return microseconds(both_ways, TIMES)


def main():
    """Print the tables; return 1 if a limit is not kept."""
    print(f'{"policy":<22}{"peers":>6}{"decision us":>13}{"filter us":>11}{"app us":>8}')
    late = []
    for policy in ('adaptive', 'tllb', 'least_connection', 'round_robin'):
        for peers in (3, 63):
            decision, whole, app = stays(policy, peers)
            print(f'{policy:<22}{peers:>6}{decision:>13.1f}{whole:>11.1f}{app:>8.1f}')
            if policy in ('adaptive', 'tllb') and decision > LIMIT:
                late.append(f'{policy} with {peers} peers')
    print(f'delegated, both ways: {delegated():.1f} us')
    print(f'limit of a decision to stay, {LIMIT:g} us: '
          + (f'not kept by {", ".join(late)}' if late else 'kept'))
    print(f'\n{"other clusters":<32}{"us more":>8}{"limit":>7}')
    for case, more, limit in cases():
        print(f'{case:<32}{more:>8.1f}{limit or "-":>7}', flush=True)
        late += [case] if limit and more > limit else []
    return 1 if late else 0


if __name__ == '__main__':
    sys.exit(main())
