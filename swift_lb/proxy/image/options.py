"""The options of [filter:lb_image]."""
from dataclasses import dataclass

from swift_lb.conf_file import IMAGE_SOCKET
from swift_lb.config import absolute_path, option, seconds


@dataclass(frozen=True)
class ImageFilterOptions:
    """The options of the filter; `etc/proxy-server.conf-sample` explains each."""

    socket: str = option(IMAGE_SOCKET, absolute_path, '', 'of swift-lb-image of this host')
    patience: float = option(60.0, seconds(0.1), 'seconds', 'limit of a wait for a decoder')
