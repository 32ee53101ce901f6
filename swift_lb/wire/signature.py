"""Signatures of reports with a key that all nodes have: HMAC-SHA256 (RFC 2104). Pure.

    signed = MAGIC, 32 bytes of HMAC over MAGIC and the payload, the payload

While the key is being changed there are two: the first one signs, both are accepted.
"""
import hashlib
import hmac

MAGIC = b'slb1'
LENGTH = hashlib.sha256().digest_size


def sign(key, payload):
    """Return `payload` signed with `key`; all are bytes."""
    return MAGIC + hmac.digest(key, MAGIC + payload, 'sha256') + payload


def verified(keys, signed):
    """Return the payload of `signed`, bytes, if one of `keys` signed it, else None."""
    if signed[:len(MAGIC)] != MAGIC:
        return None
    digest, payload = signed[len(MAGIC):len(MAGIC) + LENGTH], signed[len(MAGIC) + LENGTH:]
    for key in keys:
        if hmac.compare_digest(digest, hmac.digest(key, MAGIC + payload, 'sha256')):
            return payload
    return None
