"""Requests with a signature instead of a token: temporary URLs, forms, and S3's."""
import hashlib
import hmac
import urllib.parse
from datetime import datetime, timezone

from swift_lb.clock import wall

KEY = 'a key of the account'
S3_USER, S3_KEY = 'test:tester', 'testing'
LATER = 3600        # seconds


def temp_url(method, path, ip_range=None):
    """Return `path` with tempurl's query, valid for LATER s; `ip_range`: only for these clients."""
    expires = int(wall()) + LATER
    text = f'{method}\n{expires}\n{path}'
    query = {'temp_url_expires': expires}
    if ip_range:
        text = f'ip={ip_range}\n{text}'
        query['temp_url_ip_range'] = ip_range
    query['temp_url_sig'] = hmac.new(KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
    return f'{path}?{urllib.parse.urlencode(query)}'


def form(path, files):
    """Return (body, headers) of a formpost that uploads `files`, {name: bytes}, to `path`."""
    limits = {'redirect': '', 'max_file_size': 1000000, 'max_file_count': 10,
              'expires': int(wall()) + LATER}
    text = '\n'.join([path, *map(str, limits.values())])
    signature = hmac.new(KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}'.encode()
             for name, value in {**limits, 'signature': signature}.items()]
    parts += [f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'
              f'Content-Type: text/plain\r\n\r\n'.encode() + content
              for name, content in files.items()]
    body = b''.join(b'--bound\r\n' + part + b'\r\n' for part in parts) + b'--bound--\r\n'
    return body, {'Content-Type': 'multipart/form-data; boundary=bound'}


def s3(method, path, body=b'', query=''):
    """Return the headers, {name: value}, of an S3 request with a signature of AWS's version 4."""
    stamp = datetime.fromtimestamp(wall(), timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    headers = {'host': 's3.lab.test', 'x-amz-content-sha256': hashlib.sha256(body).hexdigest(),
               'x-amz-date': stamp}
    scope, names = f'{stamp[:8]}/us-east-1/s3/aws4_request', ';'.join(headers)
    canonical = '\n'.join([method, path, query, *(f'{name}:{value}' for name, value
                                                  in headers.items()), '', names,
                           headers['x-amz-content-sha256']])
    text = '\n'.join(['AWS4-HMAC-SHA256', stamp, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = f'AWS4{S3_KEY}'.encode()
    for word in scope.split('/'):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return headers | {'Authorization': f'AWS4-HMAC-SHA256 Credential={S3_USER}/{scope}, '
                                       f'SignedHeaders={names}, Signature={signature}'}
