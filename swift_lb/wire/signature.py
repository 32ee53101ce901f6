"""Signatures of reports with a key that all nodes have: HMAC-SHA256 (RFC 2104). Pure.

    signed = MAGIC, 32 bytes of HMAC over MAGIC and the payload, the payload

While the key is being changed there are two: the first one signs, both are accepted.
"""
import hashlib
import hmac

MAGIC = b'slb1'
LENGTH = hashlib.sha256().digest_size


def sign(key, payload, magic=MAGIC):
    """Return `payload` signed with `key`; all are bytes. `magic` are the first four."""
    return magic + hmac.digest(key, magic + payload, 'sha256') + payload


def verified(keys, signed, magic=MAGIC):
    """Return the payload of `signed`, bytes, if one of `keys` signed it with `magic`, else None."""
    if signed[:len(magic)] != magic:
        return None
    digest, payload = signed[len(magic):len(magic) + LENGTH], signed[len(magic) + LENGTH:]
    for key in keys:
        if hmac.compare_digest(digest, hmac.digest(key, magic + payload, 'sha256')):
            return payload
    return None
