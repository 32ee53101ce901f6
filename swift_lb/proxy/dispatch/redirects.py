"""Redirects of clients: which ones are sent to another cluster, and which ones come from there.

Swift's clients send their token to wherever a redirect leads, and some cannot follow one: boto3
asks again until its recursion ends. So only a client that is known to follow is redirected, only to
a host that the operator trusts with tokens, and never by way of another origin's script, by S3, or
from https to http. A client is redirected once: its request has the parameter lb_from then.

Swift's proxies speak no TLS behind lb_dispatcher (options.py), so a request has come by https if
X-Forwarded-Proto says so, which the server in front sets, or if this cluster's own url is https.
"""
from urllib.parse import quote

from swift_lb.proxy.dispatch.answers import SOURCE, answer
from swift_lb.proxy.dispatch.facts import FACTS, target_of
from swift_lb.wire.cluster_summary import URL
from swift_lb.wire.redirect import (
    LASTS,
    PARAMETER,
    decode,
    encode,
    with_parameter,
    without_parameter,
)

FOLLOW = 'HTTP_X_LB_REDIRECT'       # X-Lb-Redirect: follow
REDIRECTED = 'swift_lb.redirected'  # in the environment: the Origin in a valid lb_from
URI = "/?:@!$&()*+,;=~%"            # with letters, digits and ._-: no client changes these
ASKED, NEVER = 'asked', 'never'     # the option `redirect`


def follows(env, facts, agents):
    """Return whether the client of `env` is known to follow a redirect, and may be given one.

    `facts` are the ContainerFacts, None if unknown; `agents` is a tuple of texts with which the
    User-Agent headers of programs begin that follow redirects.
    """
    is_known = (env.get(FOLLOW, '').lower() == 'follow'
                or env.get('HTTP_SEC_FETCH_MODE') == 'navigate'
                or (facts is not None and facts.redirects)
                or env.get('HTTP_USER_AGENT', '').startswith(agents))
    return is_known and not (
        REDIRECTED in env or PARAMETER in env.get('QUERY_STRING', '') or 'HTTP_ORIGIN' in env
        or is_s3(env) or has_dots(env['PATH_INFO']))


def is_s3(env):
    """Return whether a request is signed as S3's are, in a header or in its query."""
    query = env.get('QUERY_STRING', '')
    return (env.get('HTTP_AUTHORIZATION', '').startswith('AWS') or 'X-Amz-Signature' in query
            or 'AWSAccessKeyId' in query)


def has_dots(path):
    """Return whether a path has a part . or .., which clients that follow a redirect remove."""
    return '/.' in path and not {'.', '..'}.isdisjoint(path.split('/'))


def is_trusted(url, env, cluster):
    """Return whether the client of `env` may be redirected to the `url` of another cluster.

    `cluster` is the ClusterIdentity of this one, whose `trust` lists the hosts to which clients may
    send their tokens.
    """
    match = URL.fullmatch(url)
    if not url or match is None or (match['scheme'] == 'http' and is_secure(env, cluster.url)):
        return False
    return any(match['host'].endswith(host[1:]) if host.startswith('*.') else
               match['host'] == host for host in cluster.trust)


def is_secure(env, url):
    """Return whether the client of `env` may have come by https; `url` is this cluster's own."""
    return (env.get('wsgi.url_scheme') == 'https' or url.startswith('https:')
            or 'https' in env.get('HTTP_X_FORWARDED_PROTO', '').lower())


def redirect(env, start_response, url, origin, key, wall):
    """Answer 307 to the client of `env`, to the cluster at `url`; return the body.

    `origin` is the Origin that `key` signs; `wall` is seconds since 1970.
    """
    env['swift.source'] = SOURCE
    target = quote(target_of(env), URI, 'latin-1')      # it is signed as the client sends it
    location = url.rstrip('/') + with_parameter(target, encode(key, origin, wall + LASTS, target))
    return answer(env, start_response, '307 Temporary Redirect', 'Another cluster is nearer.',
                  [('Location', location), ('Cache-Control', 'no-store')])


def take_out(env, keys, wall):
    """Return whether a read has a valid lb_from; if so, put its Origin into `env` in its place.

    It is valid if one of `keys` signed it and it has not expired at `wall`, seconds since 1970. An
    invalid one stays in the query, so that a peer that serves the request does not redirect it
    again; Swift ignores it. It also stays in a request of another cluster, which is signed with it.
    """
    query, value = without_parameter(env.get('QUERY_STRING', ''))
    if value is None or env['REQUEST_METHOD'] not in ('GET', 'HEAD'):
        return False
    origin = decode(keys, value, target_of(env | {'QUERY_STRING': query}), wall)
    if origin is None:
        return False
    env['QUERY_STRING'], env[REDIRECTED] = query, origin
    env.pop(FACTS, None)
    return True
