"""The WSGI environment of a client's request, as Swift's server makes it."""
import io


def env_of(method='GET', path='/v1/a/c/o', query='', body=None, chunked=False, raw=(), **headers):
    """Return the WSGI environment of a request, as Swift's server makes it.

    `body` is bytes, or a file. `raw` are headers as the client spells them, (name, value) pairs.
    """
    raw = [*raw, *((name.replace('_', '-').title(), value) for name, value in headers.items())]
    env = {'REQUEST_METHOD': method, 'PATH_INFO': path, 'RAW_PATH_INFO': path,
           'QUERY_STRING': query, 'CONTENT_TYPE': '', 'REMOTE_ADDR': '198.51.100.7',
           'swift.trans_id': 'tx1'}
    for name, value in raw:
        key = name.replace('-', '_').encode('latin-1').upper().decode('latin-1')
        env[key if key == 'CONTENT_LENGTH' else f'HTTP_{key}'] = value
    env['wsgi.input'] = body if hasattr(body, 'read') else io.BytesIO(body or b'')
    if chunked:
        raw.append(('Transfer-Encoding', 'chunked'))
        env['HTTP_TRANSFER_ENCODING'] = 'chunked'
    elif body is not None:
        raw.append(('Content-Length', str(len(body))))
        env['CONTENT_LENGTH'] = str(len(body))
    return env | {'headers_raw': tuple(raw), 'HTTP_HOST': 'swift.example'}
