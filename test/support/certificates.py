"""Certificates for TLS servers of tests, and the authorities that sign them."""
import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

DAY = datetime.timedelta(days=1)


class Authority:
    """An authority; its own certificate is in the file `path`."""

    def __init__(self, where, name, expired=False):
        """Keep files in the folder `where`."""
        self._where, self._name = where, name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = self._signed(name, self._key, expired, *of_authority(self._key))
        self.path = where / f'{name}.pem'
        self.path.write_bytes(self._certificate.public_bytes(Encoding.PEM))

    def certify(self, *hosts, expired=False):
        """Return (certificate file, key file) of a server for names or IPs."""
        key, path = ec.generate_private_key(ec.SECP256R1()), self._where / f'{self._name}-server'
        names = x509.SubjectAlternativeName([general_name(host) for host in hosts])
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        path.write_bytes(self._signed('server', key, expired, names, signer)
                         .public_bytes(Encoding.PEM))
        key_path = path.with_suffix('.key')
        key_path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return path, key_path

    def _signed(self, name, key, expired, *extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (x509.CertificateBuilder()
                   .subject_name(named(name)).issuer_name(named(self._name))
                   .public_key(key.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(now - 3 * DAY)
                   .not_valid_after(now + (-DAY if expired else DAY)))
        for one in extensions:
            builder = builder.add_extension(
                one, critical=isinstance(one, x509.BasicConstraints | x509.KeyUsage))
        return builder.sign(self._key, hashes.SHA256())


def of_authority(key):
    """Return the x509 extensions of an authority, which Python verifies strictly from 3.13 on."""
    usage = dict.fromkeys(('digital_signature', 'content_commitment', 'key_encipherment',
                           'data_encipherment', 'key_agreement', 'encipher_only', 'decipher_only'),
                          False)
    return (x509.BasicConstraints(ca=True, path_length=None),
            x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage),
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()))


def named(name):
    """Return an x509.Name with a common name only."""
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def general_name(host):
    """Return the x509 name of a server: of an IP, or of a DNS name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
