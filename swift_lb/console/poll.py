"""Poll proxies for their counts: all workers share a book of counts, or each has its own.

A request cannot choose the worker: whichever accepts the connection answers. So a page is fetched
often enough to reach all workers, with a few requests in parallel, because the worker that has just
answered is likely to take the next request as well.
"""
import threading
from concurrent.futures import Future

from swift_lb.console.combine import Sighting
from swift_lb.errors import StatusError

MAX_CONCURRENT = 4
FIRST_POLL_SECONDS = 2.0      # seconds for reaching all workers of a proxy in the first poll
MIN_QUIET = 8     # requests without a new worker that end the first poll


def together(function, items):
    """Return [function(item) for item in items], each called in its own thread.

    An exception of a call is raised. The threads are daemons: the program can exit while a proxy
    hangs.
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
    """Return how many requests in a row must meet no new worker before `workers` count as all.

    If there were one more worker, the probability that n requests miss it would be (workers /
    (workers + 1))^n: with n = 5 x (workers + 1) less than e^-5 = 0.7 %. Pure.
    """
    return max(MIN_QUIET, 5 * (workers + 1))


def enough_to_refresh(workers):
    """Return how many requests a later poll sends to a proxy that has `workers` workers.

    They are n + 8 for n workers, thus 6 (n + 8) in the 6 polls for which a page is kept. The
    probability that a certain worker receives none of these is (1 - 1/n)^(6 (n + 8)) < e^-6.
    Pure.
    """
    return workers + 8


class Meeting:
    """One poll of one proxy by several requests, which keeps the newest page of each book."""

    def __init__(self, source, clock):
        self.url, self.met, self.error = source.url, {}, None
        self._source, self._clock, self._began = source, clock, clock()
        self._polls = self._quiet = 0

    def explore(self):
        """Poll a proxy whose number of workers is unknown; return the Meeting.

        It sends requests until quiet_enough() in a row have brought no page of a new worker, or
        for FIRST_POLL_SECONDS.
        """
        return self._poll(lambda: self._quiet >= quiet_enough(len(self.met)), FIRST_POLL_SECONDS)

    def refresh(self, workers, seconds):
        """Poll a proxy that had `workers` workers in the last poll; return the Meeting.

        It sends enough_to_refresh(workers) requests, or fewer if `seconds` pass.
        """
        return self._poll(lambda: self._polls >= enough_to_refresh(workers), seconds)

    def _poll(self, enough, seconds):
        while True:
            answers = together(self._ask, range(MAX_CONCURRENT))
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
