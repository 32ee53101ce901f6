"""Redirects of clients to other clusters: who is sent there, and those who come from there.

Swift's clients send their token to wherever a redirect leads, and some cannot follow one: boto3
asks again until its recursion ends. So only a client that is known to follow is redirected, only to
a host that the operator trusts with tokens, and never by way of another origin's script, by S3, or
from https to http. A client is redirected once: its request has the parameter lb_from then.
"""
from urllib.parse import urlsplit

from swift_lb.proxy.dispatch.answers import SOURCE, answer
from swift_lb.proxy.dispatch.facts import FACTS, target_of
from swift_lb.wire.redirect import LASTS, decode, encode, with_parameter, without_parameter

FOLLOW = 'HTTP_X_LB_REDIRECT'       # X-Lb-Redirect: follow
REDIRECTED = 'swift_lb.redirected'  # in the environment: an Origin, or None if lb_from was invalid
SCHEMES = ('http', 'https')
ASKED, NEVER = 'asked', 'never'     # the option `redirect`


def follows(env, facts, agents):
    """Return whether the client of `env` is known to follow a redirect, and may be given one.

    `facts` are the ContainerFacts, or None; `agents` beginnings of User-Agent headers.
    """
    if REDIRECTED in env or 'HTTP_ORIGIN' in env or is_s3(env):
        return False
    return (env.get(FOLLOW, '').lower() == 'follow' or env.get('HTTP_SEC_FETCH_MODE') == 'navigate'
            or (facts is not None and facts.redirects)
            or env.get('HTTP_USER_AGENT', '').startswith(agents))


def is_s3(env):
    """Return whether a request is signed as S3's are, in a header or in its query."""
    query = env.get('QUERY_STRING', '')
    return (env.get('HTTP_AUTHORIZATION', '').startswith('AWS') or 'X-Amz-Signature' in query
            or 'AWSAccessKeyId' in query)


def is_trusted(url, env, trust):
    """Return whether the client of `env` may be sent to the cluster at `url`.

    `trust` are the hosts to which tokens may go, as texts; *.DOMAIN stands for all hosts below it.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.hostname:
        return False
    if parts.scheme == 'http' and env.get('wsgi.url_scheme') == 'https':
        return False
    return any(parts.hostname.endswith(host[1:]) if host.startswith('*.') else
               parts.hostname == host for host in trust)


def redirect(env, start_response, url, origin, key, wall):
    """Answer 307 to the client of `env`, to the cluster at `url`; return the body.

    `origin` is the Origin that `key` signs; `wall` is seconds since 1970.
    """
    env['swift.source'] = SOURCE
    target = target_of(env)
    location = url.rstrip('/') + with_parameter(target, encode(key, origin, wall + LASTS, target))
    return answer(env, start_response, '307 Temporary Redirect', 'Another cluster is nearer.',
                  [('Location', location), ('Cache-Control', 'no-store')])


def take_out(env, keys, wall):
    """Take lb_from out of the request of `env`, if it is there; return whether it was.

    The environment has its Origin then, None if none of `keys` signed it or it has expired. A
    request of another cluster has the parameter of its client in what is signed: it stays there.
    """
    query, value = without_parameter(env.get('QUERY_STRING', ''))
    if value is None:
        return False
    env['QUERY_STRING'] = query
    env.pop(FACTS, None)
    env[REDIRECTED] = decode(keys, value, target_of(env), wall)
    return True
