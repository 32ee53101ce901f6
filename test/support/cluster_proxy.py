"""A Dispatcher in the cluster ksu, which knows the cluster ucsb, in front of an app of a test."""
from support.client_env import env_of
from support.dispatching_proxy import DispatchingProxy
from swift_lb import clock, clusters_file
from swift_lb.model import (
    ClientPath,
    ClusterLink,
    Clusters,
    ClusterSummary,
    HeardCluster,
    TimeForecast,
)
from swift_lb.proxy.seam import ABSENT
from swift_lb.wire.redirect import LASTS, Origin, encode, version_of

KEY = b'a key of all the clusters'
NETWORK = '198.51.100.0/24'     # of the client in support/client_env.py
HERE = b'x' * 70_000         # the body of an object of a ClusterProxy
VERSION = {'Etag': '"d41d8"', 'X-Timestamp': '1700000000.12345'}
NEWER = VERSION | {'X-Timestamp': '1700000001.00000'}
OLDER = VERSION | {'X-Timestamp': '1600000000.00000', 'Etag': '"old"'}
TIMES = {'small': TimeForecast(0.001, 0.0, 0.0)}
ORIGIN = Origin('ucsb', version_of(VERSION['Etag'], VERSION['X-Timestamp']))


def reply(body=b'there', status='200 OK', **headers):
    """Return the bytes of an answer of the other cluster: of VERSION, unless `headers` differ."""
    head = ''.join(f'{name}: {value}\r\n' for name, value in (VERSION | headers).items())
    return f'HTTP/1.1 {status}\r\n{head}Content-Length: {len(body)}\r\n\r\n'.encode() + body


def follower(**more):
    """Return the environment of a request of a client that follows redirects."""
    return env_of(x_lb_redirect='follow', **more)


def redirected(query='', origin=ORIGIN, key=KEY, **more):
    """Return the environment of a request whose client `origin` has redirected here."""
    target = '/v1/a/c/o' + (f'?{query}' if query else '')
    value = encode(key, origin, clock.wall() + LASTS, target)
    return env_of(query=f'{query}&lb_from={value}' if query else f'lb_from={value}', **more)


class ClusterProxy(DispatchingProxy):
    """A DispatchingProxy whose app answers with `status`, `headers` and `content`.

    `absent` is what the app says of the object; `more` are lines of [lb-cluster], `options` more
    fields of DispatchOptions.
    """

    def __init__(self, where, trust='ucsb.example', region=0, more='', policy='tllb',
                 **options):
        super().__init__(where, policy, **options)
        self.absent, self.status = False, '200 OK'
        self.headers, self.content = dict(VERSION), HERE
        with open(where / 'lb.conf', 'a') as conf:
            conf.write(f'[lb-cluster]\nname = ksu\nkey = {KEY.decode()}\ntrust = {trust}\n'
                       f'region = {region}\nclusters_file = {where}/clusters\n{more}')

    def app(self, env, start_response):
        self.served.append(env)
        env[ABSENT] = self.absent

        def body():
            start_response(self.status, [*self.headers.items(),
                                         ('Content-Length', str(len(self.content)))])
            yield self.content[:65536]
            yield self.content[65536:]
        return body()

    def know(self, *relays, age=0.0, url='http://ucsb.example', ring='', region=0, credit=1000,
             scheme='', ended=(), image=None, times=TIMES):
        """Write that ucsb, with these ScriptedServers as relays, was heard `age` seconds ago.

        Its digest of rings is that of ksu; `credit` are the requests that it takes; `scheme` is ''
        or https://, `ended` are EndedRedirects, `image` is its ImageState, `times` are those
        of its reads. It is near: 1 ms, 1 GB/s, and 1 ms until a head.
        """
        addresses = tuple(f'{scheme}127.0.0.1:{relay.port}' for relay in relays)
        summary = ClusterSummary('ucsb', 'n', 1, 1, 1.7e9, 2.0, url, 1, 0.0, 0.0, addresses,
                                 ring=ring, region=region, credits=(('ksu', 1e6),), ended=ended,
                                 image=image)
        clusters_file.write(self.where / 'clusters', Clusters(
            'ksu', {'ucsb': HeardCluster(summary, clock.monotonic() - age)},
            {'ucsb': ClusterLink('ucsb', 0.001, 0.0, 0.0, 1e9, 0.0)}, ('ucsb',),
            {'ucsb': times},
            {'ucsb': {NETWORK: ClientPath(NETWORK, 0.001, 1e9)}}, ring))
        self.filter._clusters._path = None      # look now
        self.filter.chooser.follow()
        self.filter._begin(env_of())
        if credit:
            self.filter._choice.credits._buckets['ucsb']._tokens = credit
