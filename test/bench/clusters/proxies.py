"""Proxies beside the first one of a lab in sites, each with a policy of clusters of its own.

They have the agent, the cluster and the memcached of the first proxy, and another port, so the
policies are compared at one time, on the same links, by what the same agent knows.
"""
import dataclasses

from swift_lb.lab import build, conf, fork_server, network, process, ready
from swift_lb.lab.lab import ACCOUNT, FORK_SERVER
from swift_lb.lab.wan import wan

OPTION = 'filter:lb_dispatcher:cluster_policy'


def start(lab, policies):
    """Start a proxy for each of `policies`, names; return {policy: its storage URL}.

    They end with the lab.
    """
    spec = lab.spec
    networks = tuple(wan.networks_of(spec.sites, spec.regions).values())
    servers = network.servers(spec, networks, lab.memcached)
    first, memcached = (next(server for server in servers if server.kind == kind)
                        for kind in ('proxy', 'memcached'))
    started, urls = [], {}
    for number, policy in enumerate(policies, 1):
        server = first._replace(name=f'{policy}-1', port=first.port + number)
        (lab.directory / 'etc' / f'{server.name}.conf').write_text(conf.proxy_conf(
            lab.directory, server, dataclasses.replace(
                spec, proxy_options=spec.proxy_options | {OPTION: policy}),
            f'{memcached.ip}:{memcached.port}'))
        command = build.command(lab.directory, server)
        pid = fork_server.fork(
            lab.directory, lab.processes[FORK_SERVER], server.name,
            process.output(lab.directory, server.name), command[1:], spec.site_of(1))
        started.append(process.born(pid, server.name, server.kind, command, server.ip,
                                    server.port))
        urls[policy] = f'http://{server.ip}:{server.port}/v1/{ACCOUNT}'
    ready.wait_ready(started, lab.directory / 'log', spec.timeout)
    return urls
