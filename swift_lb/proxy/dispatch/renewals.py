"""Renews what is known of containers while their reads leave.

A worker learns a container from a read that it serves, and knows it for a minute
(dispatch/containers.py). Reads that leave before they are served teach nothing. So each minute one
of them would have to stay, only so that the container is learnt again.
"""
from swift_lb.concurrency import spawn
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.seam import container_facts

LEFT_OUT = 'HTTP_HOST', 'swift.infocache'   # domain_remap would read another container for the
#                                             former; the latter has what was known before


class ContainerRenewals:
    """Asks Swift for containers of one worker that will soon be unknown, in greenthreads."""

    def __init__(self, app, containers, fall_back, clock):
        """Take the next WSGI app, and the worker's Containers.

        `fall_back(component)` reports a component that has failed; `clock()` returns monotonic
        seconds.
        """
        self._app, self._containers = app, containers
        self._fall_back, self._clock = fall_back, clock
        self._asked = set()     # paths of the containers that are being asked for

    def note_left(self, env):
        """Renew what is known of the container of a read that has left, of `env`, if it is old."""
        path = container_of(env['PATH_INFO'])
        if path not in self._asked and self._containers.is_old(path, self._clock()):
            self._asked.add(path)
            spawn(self._renew, path, {key: env[key] for key in env if key not in LEFT_OUT})

    def _renew(self, path, env):
        try:
            facts = container_facts(env, self._app, cache_only=False)
            if facts is not None:
                self._containers.learn(path, facts, self._clock())
        except Exception:
            self._fall_back('renewals')
        finally:
            self._asked.discard(path)
