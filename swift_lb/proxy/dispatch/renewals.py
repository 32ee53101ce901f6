"""Renews what is known of containers while their reads leave.

A worker learns a container from a read that it serves, and knows it for a minute
(dispatch/containers.py). Reads that leave before they are served teach nothing. So each minute one
of them would have to stay, only so that the container is learnt again.

The request for the container is Swift's own, as for a read: no credentials are asked for.
"""
from swift_lb.concurrency import spawn
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.seam import container_facts

LEFT_OUT = 'HTTP_HOST', 'swift.infocache'   # by the former, domain_remap could read another
#                                             container; the latter has what was known before
AGAIN = 5.0             # seconds from a question without an answer until the next
MOST = 1000             # containers whose last questions are remembered


class ContainerRenewals:
    """Asks Swift for containers of one worker that will soon be unknown, in greenthreads."""

    def __init__(self, app, containers, fall_back, clock):
        """Take the next WSGI app, and the worker's Containers.

        `fall_back(component)` reports a component that has failed; `clock()` returns monotonic
        seconds.
        """
        self._app, self._containers = app, containers
        self.fall_back, self._clock = fall_back, clock
        self._again = {}        # path of a container -> instant until which it is not asked for

    @fails_open('renewals')
    def note_left(self, env):
        """Renew what is known of the container of a read that has left, of `env`, if it is old."""
        path, now = container_of(env['PATH_INFO']), self._clock()
        if not self._containers.is_old(path, now) or now < self._again.get(path, now):
            return
        if len(self._again) >= MOST:
            self._again = {other: until for other, until in self._again.items() if now < until}
        self._again[path] = now + AGAIN
        spawn(self._renew, path, {key: env[key] for key in env if key not in LEFT_OUT})

    @fails_open('renewals')
    def _renew(self, path, env):
        facts = container_facts(env, self._app, cache_only=False)
        if facts is not None:
            self._containers.learn(path, facts, self._clock())
