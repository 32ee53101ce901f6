"""Evidence, the base class of what a LoadBook keeps of each node for a policy; its hooks are empty.

A policy names classes in its `kinds`, and the LoadBook keeps one object of each class for each
node. Two attributes are for facts that concern several nodes:

    common    a class of which a book keeps one object for all nodes. The evidence of each node gets
              it when it is made; Snapshot.common has what the object's view() returns.
    ordered   a function of (the evidence of all candidates of an order, from the first one on; the
              instant). It is called after each order and returns whether it has changed any view.
"""


class Evidence:
    """Receive every event of one node; subclasses keep what their policy needs of it."""

    __slots__ = ()
    common = ordered = None

    def put_first(self, now):
        """Note that an order has put the node first."""

    def began(self, now, ahead):
        """Note that a read was sent while this LoadBook had `ahead` reads queued at the node."""

    def answered(self, first_byte_time, ahead, now):
        """Note a first byte, `first_byte_time` seconds after its request.

        `ahead` is the number of requests that the node had when this one was sent: that of
        began(), or the DeviceReport's in_flight if that is more.
        """

    def reported(self, report, ours, now):
        """Note `report`, the DeviceReport in the head of the node's answer to a read.

        `ours` is the number of other reads of the node for which this LoadBook's proxies wait; the
        in_flight of the report includes them.
        """

    def refused(self, now):
        """Note an answer that does not show how fast the node is: a 404."""

    def failed(self, timed_out):
        """Note that a read has failed, by a timeout or otherwise."""

    def streamed(self, chunks, seconds, now):
        """Note the end of a read that waited `seconds` in all for the `chunks` after the first.

        `chunks` is their number.
        """

    def view(self):
        """Return the evidence as a NamedTuple, or None if nothing is known."""
        raise NotImplementedError
