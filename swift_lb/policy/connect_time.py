"""LB-RCT: the time it takes to connect, as Swift's `sorting_method = timing`.

    cost = connect_time of the node's ip, rounded to 1 ms

    connect_time   seconds from connecting to the request's head sent, of the last request of any
                   kind to any server on that ip

Blind to the disk, and to a busy storage server too: the kernel accepts the connection before the
server does. Here to be compared with. Ties, common at 1 ms, are Swift's: at random.

Source: swift.proxy.server.Application.sort_nodes and set_node_timing; LB-RLT paper, Tables 5 and 6.
"""
from swift_lb.policy.measured import Measured


class ConnectTime(Measured):
    """Order by the last connect time of each node's ip."""

    def measure(self, node, snapshot):
        """Return the instant of the last connect to the ip and its time to the millisecond."""
        connect = snapshot.connects.get(node.ip)
        return None if connect is None else (connect.at, round(connect.seconds, 3))

    def turn(self, node, snapshot):
        """Return the same for all: Swift shuffles and then sorts, so chance breaks a tie."""
        return 0

    def reason(self, node, snapshot):
        """Say the connect time."""
        return f'connect time {snapshot.connects[node.ip].seconds * 1000:.0f} ms (per ip)'
