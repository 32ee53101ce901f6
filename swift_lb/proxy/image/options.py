"""The options of [filter:lb_image]."""
from dataclasses import dataclass

from swift_lb.config import option, seconds

SOCKET = '/var/run/swift/lb-image.sock'


@dataclass(frozen=True)
class ImageFilterOptions:
    """The options of the filter; `etc/proxy-server.conf-sample` explains each."""

    socket: str = option(SOCKET, str, '', 'where swift-lb-image of this host listens')
    patience: float = option(60.0, seconds(0.1), 'seconds', 'limit of a wait for a decoder')
    key: str = option('', str, '', 'secret of the status page outside the loopback interface')
