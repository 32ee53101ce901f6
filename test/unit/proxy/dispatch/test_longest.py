"""For how long a silent peer is waited for, by what is heard of it and what it may have done."""
from math import inf

import pytest
from support.client_env import env_of, request_of

from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, REJECTED, UP
from swift_lb.proxy.dispatch.delegation import longest_wait

GET, COPY, PUT = env_of(), env_of('COPY'), env_of('PUT', body=b'hello')


@pytest.mark.parametrize(('state', 'env', 'begun', 'seconds'), [
    *((state, env, begun, inf) for state in (UP, REJECTED, CRITICAL, DRAINING)
      for env in (GET, COPY, PUT) for begun in (False, True)),
    (None, GET, False, 60.0), (None, PUT, True, 60.0),
    (LATE, GET, False, 0.0), (GONE, PUT, False, 0.0), (LATE, PUT, True, 10.0),
    (DISABLED, GET, False, 10.0), (DISABLED, PUT, False, 10.0),
    (DISABLED, PUT, True, 60.0), (DISABLED, COPY, False, 60.0)])
def test_it_is_long_where_work_may_be_lost(state, env, begun, seconds):
    request = request_of(env)
    request.sent, request.begun = True, begun
    assert longest_wait(state, request) == seconds
