"""Meet the books of proxies: one of all workers, or each worker's own.

Nobody can ask for a certain worker: whichever accepts answers. So each page is asked for often
enough, a few requests at a time: one after the other, the worker that has just answered might take
the next as well.
"""
import threading
from concurrent.futures import Future

from swift_lb.console.combine import Sighting
from swift_lb.errors import StatusError

AT_ONCE = 4
PATIENCE = 2.0      # seconds to meet the workers of a proxy in the first look
LEAST_QUIET = 8     # polls without a new worker that end the first look


def together(function, items):
    """Return [function(item)] of all items, each called in a thread of its own.

    The threads are daemons: leaving does not wait for a proxy that hangs.
    """
    def one(future, item):
        try:
            future.set_result(function(item))
        except Exception as err:
            future.set_exception(err)
    futures = [Future() for _item in items]
    for pair in zip(futures, items, strict=True):
        threading.Thread(target=one, args=pair, daemon=True).start()
    return [future.result() for future in futures]


def quiet_enough(workers):
    """Return how many polls in a row must meet nobody new to believe that `workers` are all.

    A further one, as likely to answer as the others, is missed by n polls with probability
    (workers / (workers + 1))^n, at 5 x (workers + 1) polls less than e^-5 = 0.7 %. Pure.
    """
    return max(LEAST_QUIET, 5 * (workers + 1))


def enough_to_refresh(workers):
    """Return how many polls a later look takes of a proxy with so many known `workers`.

    One a worker and some more: a page is kept for several looks, and that each of n workers is met
    in one of 6 looks fails with probability (1 - 1/n)^(6 (n + 8)) < e^-6. Pure.
    """
    return workers + 8


class Meeting:
    """One look at one proxy: the newest sighting of each book that answered."""

    def __init__(self, source, clock):
        self.url, self.met, self.error = source.url, {}, None
        self._source, self._clock, self._began = source, clock, clock()
        self._polls = self._quiet = 0

    def explore(self):
        """Poll until no new worker has been met for long, or PATIENCE is over."""
        return self._poll(lambda: self._quiet >= quiet_enough(len(self.met)), PATIENCE)

    def refresh(self, workers, seconds):
        """Poll as often as the known number of `workers` asks for, for at most `seconds`."""
        return self._poll(lambda: self._polls >= enough_to_refresh(workers), seconds)

    def _poll(self, enough, seconds):
        while True:
            answers = together(self._ask, range(AT_ONCE))
            for answer in answers:
                self._note(answer)
            if not self.met or enough() or self._clock() - self._began >= seconds:
                return self

    def _ask(self, _number):
        try:
            return Sighting(self._source.page(), self._clock())
        except StatusError as err:
            return err

    def _note(self, answer):
        self._polls += 1
        if isinstance(answer, StatusError):
            self.error = answer
            return
        keeper = answer.page.keeper
        self._quiet = self._quiet + 1 if keeper in self.met else 0
        self.met[keeper] = max(answer, self.met.get(keeper, answer), key=lambda one: one.at)
