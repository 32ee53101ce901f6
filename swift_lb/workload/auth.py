"""Logins of workers: each returns the storage URL of an account, and a token for it."""
import asyncio
import json
from typing import NamedTuple

from swift_lb.workload.client import Client, ServerUrl, header, tls_context
from swift_lb.workload.failure import OperationError

PAUSE = 1.0, 5.0  # seconds between attempts: random between the two, as in COSBench


class Session(NamedTuple):
    """The storage URL and token from a login; None where the settings of <storage> are used."""

    storage_url: str | None = None
    token: str | None = None


async def login(access, rng):
    """Log in as `access`, the Access of a workload's <auth>, says; return the Session.

    After a failure there are up to `retry` more attempts, a setting of `access`; `rng` draws the
    pauses between them. Raises OperationError with the last attempt's reason.
    """
    settings = access.settings
    for attempt in range(1 + settings.get('retry', 0)):
        if attempt:
            await asyncio.sleep(rng.uniform(*PAUSE))
        try:
            return await LOGINS[access.type](settings)
        except OperationError as err:
            reason = str(err)
    raise OperationError(f'login: {reason}')


async def _none(_settings):
    return Session()


async def _mock(settings):
    await asyncio.sleep(settings['delay'])
    return Session(token=settings['token'])


async def _swauth(settings):
    """Log in by a GET with X-Auth-User and X-Auth-Key, which TempAuth and swauth answer alike."""
    answer, _body = await _ask(settings, 'GET', settings['auth_url'], {
        'X-Auth-User': settings['username'], 'X-Auth-Key': settings['password']})
    return Session(_header(answer, b'x-storage-url'), _header(answer, b'x-auth-token'))


async def _keystone(settings):
    if settings['version'] == 3:
        return await _keystone_v3(settings)
    wanted = {'auth': {'tenantName': settings['tenant_name'], 'passwordCredentials': {
        'username': settings['username'], 'password': settings['password']}}}
    _answer, body = await _ask_json(settings, '/tokens', wanted)
    try:
        access = body['access']
        urls = [endpoint['publicURL'] for service in access['serviceCatalog']
                if service['name'] == settings['service'] for endpoint in service['endpoints']
                if settings['region'] in ('', endpoint.get('region'))]
        return Session(_first(urls, settings), str(access['token']['id']))
    except (AttributeError, KeyError, TypeError) as err:
        raise OperationError(f'keystone: the answer has no {err}') from None


async def _keystone_v3(settings):
    wanted = {'auth': {
        'identity': {'methods': ['password'], 'password': {'user': {
            'name': settings['username'], 'password': settings['password'],
            'domain': {'name': settings['user_domain']}}}},
        'scope': {'project': {'name': settings['tenant_name'],
                              'domain': {'name': settings['project_domain']}}}}}
    answer, body = await _ask_json(settings, '/auth/tokens', wanted)
    try:
        urls = [endpoint['url'] for service in body['token']['catalog']
                if settings['service'] in (service.get('name'), service['type'])
                for endpoint in service['endpoints'] if endpoint['interface'] == 'public'
                and settings['region'] in ('', endpoint.get('region'), endpoint.get('region_id'))]
    except (AttributeError, KeyError, TypeError) as err:
        raise OperationError(f'keystone: the answer has no {err}') from None
    return Session(_first(urls, settings), _header(answer, b'x-subject-token'))


def _first(urls, settings):
    if not urls or not isinstance(urls[0], str):
        where = f' in region {settings["region"]}' if settings['region'] else ''
        raise OperationError(f'keystone: no service {settings["service"]}{where} in the catalogue')
    return urls[0]


async def _ask_json(settings, path, wanted):
    answer, body = await _ask(settings, 'POST', settings['auth_url'].rstrip('/') + path,
                              {'Content-Type': 'application/json'}, json.dumps(wanted).encode())
    try:
        return answer, json.loads(body)
    except (ValueError, RecursionError):
        raise OperationError('the answer is not JSON') from None


async def _ask(settings, method, url, headers, body=b''):
    """Send one request of a login on a connection of its own; return (Response, body).

    The timeout is for the whole request, because the end of a stage does not interrupt a login.
    Raises OperationError, also for a status other than 2xx.
    """
    server = ServerUrl(url)
    client = Client(settings['timeout'], tls_context(settings['cacert'], settings['insecure'])
                    if server.secure else None)
    head = ''.join([f'{method} {server.path or "/"}{server.query} HTTP/1.1\r\n',
                    *(header(name, value) for name, value in headers.items()),
                    f'Host: {server.name}\r\nContent-Length: {len(body)}\r\n\r\n']).encode()
    pieces = []
    try:
        answer = await asyncio.wait_for(
            client.request(server, method, head, lambda: body, pieces.append), settings['timeout'])
    except asyncio.TimeoutError:
        raise OperationError('timeout') from None
    finally:
        client.close()
    if not 200 <= answer.status < 300:
        raise OperationError(f'HTTP {answer.status}')
    return answer, b''.join(pieces)


def _header(answer, name):
    try:
        return answer.headers[name].decode('latin-1')
    except KeyError:
        raise OperationError(f'the answer has no {name.decode()}') from None


LOGINS = {'none': _none, 'mock': _mock, 'swauth': _swauth, 'keystone': _keystone}
