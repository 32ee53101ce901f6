"""What a policy may want kept of every node: the hooks of a class of evidence, all empty here.

A policy names classes in its `kinds`, and the LoadBook keeps one object of each for every node. Two
things more, for what is not one node's alone:

    common    a class. A book keeps one object of it, for all nodes, and makes the evidence of each
              node with it; what its view() returns is in Snapshot.common.
    ordered   called with the evidence of all candidates of an order, the first's first, and the
              instant; returns whether it has changed what any of them shows.
"""


class Evidence:
    """Hear all there is to hear of one node, and keep nothing of it."""

    __slots__ = ()
    common = ordered = None

    def put_first(self, now):
        """It was put first of an order."""

    def began(self, now, ahead):
        """A read was sent; `ahead` of this book were queued before it."""

    def answered(self, first_byte_time, ahead, now):
        """Its first byte came; `ahead` as began() was told, or as reported() was, where more."""

    def reported(self, report, ours, now):
        """The answer's head carried a DeviceReport.

        `ours` other reads of this book wait for the node.
        """

    def refused(self, now):
        """It was answered, and the answer says nothing of how fast the node is: a 404."""

    def failed(self, timed_out):
        """It failed."""

    def streamed(self, chunks, seconds, now):
        """It is about to end; after the first, `chunks` came, for `seconds` of waiting in all."""

    def view(self):
        """Return what is known, frozen: a NamedTuple, or None for nothing."""
        raise NotImplementedError
