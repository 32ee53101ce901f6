"""Who is over a threshold is left out once he has been so for a TTL, without a break. Pure.

An overload comes and goes within seconds, and an answer is kept for a TTL. Taken out at once, nodes
came and went with each TTL: where one resolver asks for all clients, thresholds that are wrong (as
in Cygnus' Figure 10) left 0.55 to 0.8 of the throughput of round robin, and shares turned several
hundred times in ten minutes. After a TTL what DNS has done before is seen, and dispatchers have
done what they can: who is over still is left out, and is back as soon as he is over no more. If he
came back a TTL later, the others would be over by then.

In a panic thresholds count for nothing, so that it is a break. Who is over already when a process
looks for the first time has been so for long enough: one that is begun anew does not let him in.
"""
import math

from swift_lb.model import CRITICAL, REJECTED


class Patience:
    """Keep who is over a threshold, and since when."""

    def __init__(self, seconds):
        """`seconds`: a TTL; 0 leaves them out at once."""
        self._seconds, self._since, self._began = seconds, {}, False

    def forgiven(self, instruction, now):
        """Return the names of those whom an Instruction, or None, rejects, and not for long enough.

        To be asked about each Instruction; `now` is seconds, monotonic.
        """
        since, self._began = now if self._began else -math.inf, True
        self._since = {name: self._since.get(name, since) for name in over(instruction)}
        return frozenset(name for name, since in self._since.items()
                         if now - since < self._seconds)


def over(instruction):
    """Return the names of those who are over a threshold, by an Instruction or None."""
    if instruction is None or instruction.panic:
        return []
    return [part.node for part in instruction.parts if part.state in (REJECTED, CRITICAL)]
