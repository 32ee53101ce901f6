"""Fail open: a fault of swift-lb is reported in a metric and the log, and the request goes on."""
import functools
from contextlib import suppress
from math import inf

LOG_EVERY = 60.0        # seconds between two log lines about the same component


def fails_open(component):
    """Decorate a method: where it would raise, it calls self.fall_back(component), returns None.

    Only Exception is caught: eventlet's Timeout and GreenletExit are BaseExceptions, with which
    Swift ends a request.
    """
    def decorate(method):
        def guarded(self, *args):
            try:
                return method(self, *args)
            except Exception:
                self.fall_back(component)
                return None

        def guarded_of_one(self, arg):      # most methods take one argument, and this is faster
            try:
                return method(self, arg)
            except Exception:
                self.fall_back(component)
                return None
        return functools.wraps(method)(
            guarded_of_one if method.__code__.co_argcount == 2 else guarded)
    return decorate


class Guard:
    """Reports failures of swift-lb's components: a metric each time, a log line once a minute."""

    def __init__(self, counter, logger, clock):
        """`counter.count(name, component)` adds 1 to a metric; `clock()` returns seconds."""
        self.counter, self.logger, self.clock = counter, logger, clock
        self._logged_at = {}    # component or subject -> instant of its last line

    def fall_back(self, component, message=None):
        """Count a failure of `component`, and log `message` or else the exception being handled.

        Never raises: if counting fails the failure is still logged, and the other way round.
        """
        with suppress(Exception):
            self.counter.count('fallbacks', component)
        with suppress(Exception):
            if message is not None:
                self.warn(component, message)
            elif self._is_due(component):
                self.logger.exception('swift-lb: %s failed; going on as plain Swift (logged at '
                                      'most every %d s)', component, LOG_EVERY)

    def warn(self, subject, message):
        """Log `message`, unless one on this `subject` was logged in the last LOG_EVERY seconds."""
        if self._is_due(subject):
            self.logger.warning('swift-lb: %s', message)

    def _is_due(self, subject):
        last = self._logged_at.get(subject, -inf)
        try:
            now = self.clock()
        except Exception:
            now = max(last, 0.0)    # a clock that fails: each subject is logged once
        if now - last < LOG_EVERY:
            return False
        self._logged_at[subject] = now
        return True
