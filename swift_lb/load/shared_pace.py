"""Pace in memory that several processes share: the same arithmetic, on the words of a Table."""
from swift_lb.load import table
from swift_lb.load.pace import Fleet, FleetPace, Pace, TypicalPace
from swift_lb.load.tail_time import ABSURD
from swift_lb.model import DeviceReport, make

NAN = float('nan')
FLEET = slice(table.TYPICAL, table.FLEET_REPORTED_AT + 1)
WILD = 1e15     # no number that is written comes near


def word(field, unknown=None, least=-WILD):
    """Return a property: the double `field` of self._doubles, `unknown` where it is NaN.

    So it is where it is what nobody has written: below `least`, or WILD.
    """
    def read(self):
        value = self._doubles[field]
        return value if least <= value < WILD else unknown

    def write(self, value):
        self._doubles[field] = NAN if value is None else value
    return property(read, write)


def report_of(service_time, in_flight):
    """Return the DeviceReport of the two words, None where there is none."""
    return DeviceReport(in_flight, service_time) if service_time == service_time else None


class SharedTypical(TypicalPace):
    """The TypicalPace of all processes."""

    __slots__ = ('_doubles',)

    def __init__(self, words):
        self._doubles = words.doubles

    @property
    def seconds(self):
        """The median, None before the first sample."""
        value = self._doubles[table.TYPICAL]
        return value if 0.0 < value < ABSURD else None    # zeros at first

    @seconds.setter
    def seconds(self, value):
        """Let it be `value`, for all processes."""
        self._doubles[table.TYPICAL] = value


class SharedFleet(FleetPace):
    """The FleetPace of all processes: they have one account of probes."""

    __slots__ = ('_doubles',)

    def __init__(self, words):
        self._doubles, self.typical = words.doubles, SharedTypical(words)

    @property
    def _account(self):
        value = self._doubles[table.ACCOUNT]
        return value if 0.0 <= value <= 1.0 else 0.0

    @_account.setter
    def _account(self, value):
        self._doubles[table.ACCOUNT] = value

    def view(self):
        """Return the Fleet."""
        typical, account, _hedges, further, reported_at = self._doubles[FLEET].tolist()
        return make(Fleet, (typical if 0.0 < typical < ABSURD else None, 1.0 <= account < WILD,
                            further if 0.0 <= further < WILD else 0.0,
                            reported_at if 0.0 <= reported_at < WILD else 0.0))

    @property
    def reported_at(self):
        """When a node last reported, to any process."""
        return self._doubles[table.FLEET_REPORTED_AT]

    @reported_at.setter
    def reported_at(self, now):
        """Let it be `now`, for all processes."""
        self._doubles[table.FLEET_REPORTED_AT] = now

    @property
    def _further(self):
        value = self._doubles[table.FURTHER]
        return value if 0.0 <= value < WILD else 0.0

    @_further.setter
    def _further(self, value):
        self._doubles[table.FURTHER] = value


class SharedPace(Pace):
    """The Pace of one device, as all processes see it."""

    __slots__ = ('_doubles', '_integers')

    def __init__(self, common, words):
        """Take the SharedFleet and the Table.words of a record."""
        self._common = common
        self._probing = False
        self._doubles, self._integers, _bytes = words

    _seconds = word(table.SECONDS)
    _recent = word(table.RECENT, 0.0, least=0.0)
    _weight = word(table.WEIGHT, 0.0, least=0.0)
    _at = word(table.AT, 0.0)
    _progress_at = word(table.PROGRESS_AT, 0.0)
    _asked_at = word(table.ASKED_AT)
    _reported_at = word(table.REPORTED_AT, 0.0)
    _reports = word(table.REPORTS, 0.0, least=0.0)
    _others = word(table.OTHERS, 0.0)
    _surplus = word(table.SURPLUS, 0.0)
    _failures = word(table.FAILURES, 0.0, least=0.0)
    _further_seconds = word(table.FURTHER_SECONDS, least=0.0)
    _further_weight = word(table.FURTHER_WEIGHT, 0.0, least=0.0)
    _further_at = word(table.FURTHER_AT, 0.0)

    @property
    def _view(self):
        return None     # another process may have changed what it would show

    @_view.setter
    def _view(self, value):
        pass

    @property
    def _report(self):
        return report_of(self._doubles[table.REPORT_SERVICE],
                         self._integers[table.REPORT_IN_FLIGHT])

    @_report.setter
    def _report(self, report):
        self._integers[table.REPORT_IN_FLIGHT] = report.in_flight
        self._doubles[table.REPORT_SERVICE] = report.service_time
