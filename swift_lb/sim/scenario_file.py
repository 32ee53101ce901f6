"""Scenario files: short INI files, parsed completely; every fault is reported together.

Sections: [scenario], [clients], [proxies], [ring], [network], [nodes NAME] for identical nodes, and
[event NAME] for each event.
"""
import configparser
import difflib
import math

from swift_lb.errors import ConfigError
from swift_lb.sim.event_words import ACTIONS, OF_PROXIES, event
from swift_lb.sim.scenario import Scenario
from swift_lb.sim.scenario_words import EVENT, NODES, SCENARIO, NodeGroup, places

SECTIONS = [*(f'[{name}]' for name in SCENARIO), '[nodes NAME]', '[event NAME]']
NAMED = {'nodes': NODES, 'event': EVENT}


def parse(text, name):
    """Return the Scenario in `text`; ConfigError with every fault."""
    parser = configparser.ConfigParser(
        interpolation=None, default_section='', inline_comment_prefixes=('#',))
    try:
        parser.read_string(text)
    except configparser.Error as err:
        raise ConfigError([f'{name}.conf: {" ".join(str(err).split())}']) from None
    sections = {part: dict(parser[part]) for part in parser.sections()}
    reading = ScenarioReader(f'{name}.conf', sections)
    scenario = reading.scenario(name)
    if reading.faults:
        raise ConfigError(reading.faults)
    return scenario


class ScenarioReader:
    """The values of one file; parsing adds to `faults`."""

    def __init__(self, where, sections):
        """Parse every option of `sections`, {section: {option: text}}; `where` is the file."""
        self.faults, self._where, self._texts = [], where, sections
        self._values = {part: self._parsed(part, options) for part, options in sections.items()}

    def scenario(self, name):
        """Return the Scenario, None if there are faults."""
        groups = [NodeGroup.of(part.removeprefix('nodes '), values)
                  for part, values in self._of('nodes') if self._has(part, 'service')]
        self._present()
        device_places, called = places(groups)
        fields = {field: value for part in SCENARIO for field, value in
                  self._values.get(part, {}).items()}
        events = [self._event(part, values, called) for part, values in self._of('event')]
        if self.faults:
            return None
        made = Scenario(name=name, places=tuple(device_places), events=tuple(events), **fields)
        self._together(made)
        return made

    def _fault(self, part, text, option=None):
        where = ''
        if option is not None:
            given = self._texts.get(part, {}).get(option)
            where = f', {option}' if given is None else f', {option} = {given}'
        self.faults.append(f'{self._where}, [{part}]{where}: {text}')

    def _of(self, kind):
        return [(part, values) for part, values in self._values.items()
                if part.startswith(f'{kind} ')]

    def _has(self, part, option):
        if option not in self._texts.get(part, {}):
            self._fault(part, 'is missing', option)
        return option in self._values.get(part, {})

    def _present(self):
        self._has('scenario', 'says')
        if not self._of('nodes'):
            self.faults.append(f'{self._where}: has no [nodes NAME] section: there must be one')
        if {'load', 'workers'} <= {*self._texts.get('clients', {})}:
            self._fault('clients', 'is of an open loop; with workers the loop is closed: '
                        'leave one of them out', 'load')
        if {'replicas', 'fragments'} <= {*self._texts.get('ring', {})}:
            self._fault('ring', 'an object has one of them: leave one out', 'replicas')

    def _parsed(self, part, options):
        table = SCENARIO.get(part) or NAMED.get(part.partition(' ')[0] if ' ' in part else '')
        if table is None:
            near = difflib.get_close_matches(part, SCENARIO, 1)
            self._fault(part, f'is no section; did you mean [{near[0]}]?' if near else
                        f'is no section; these are: {", ".join(SECTIONS)}')
            return {}
        values = {}
        for option, text in options.items():
            if option not in table:
                near = difflib.get_close_matches(option, table, 1)
                self._fault(part, f'is no option; did you mean {near[0]}?' if near else
                            f'is no option; these are: {", ".join(table)}', option)
                continue
            field, parse_option = table[option]
            try:
                values[field] = parse_option(text)
            except ValueError as err:
                self._fault(part, str(err), option)
        return values

    def _event(self, part, values, called):
        given = [option for option in self._texts[part] if option in ACTIONS]
        if len(given) != 1:
            self._fault(part, f'must say one of {", ".join(ACTIONS)}; it says '
                        + (' and '.join(given) or 'none'))
            return None
        nodes = self._devices(part, given[0], values, called)
        times = {key: values[key] for key in ('at', 'until') if key in values}
        if values.get('until', math.inf) <= values.get('at', 0.0):
            self._fault(part, 'must be later than `at`', 'until')
        if given[0] not in values or self.faults:
            return None
        return event(given[0], values[given[0]], nodes, times)

    def _devices(self, part, action, values, called):
        if action in OF_PROXIES:
            for option in (one for one in ('devices', 'until') if one in values):
                self._fault(part, f'{action} has none', option)
            return ()
        if not self._has(part, 'devices'):
            return ()
        nodes = {}
        for word in values['devices']:
            if word not in called:
                near = difflib.get_close_matches(word, called, 1)
                self._fault(part, f'{word} is no node nor device; '
                            + (f'did you mean {near[0]}?' if near else
                               'they are called NAME, NAME-1 or NAME-1/sd0'), 'devices')
            nodes |= dict.fromkeys(called.get(word, ()))
        return tuple(nodes)

    def _together(self, made):
        if made.warm_up >= made.seconds:
            self._fault('scenario', f'must be shorter than the {made.seconds:g} s of all',
                        'warm_up')
        width = sum(made.fragments) if made.fragments else made.replicas
        if width > len(made.places):
            self._fault('ring', f'{width} different devices are needed, there are '
                        f'{len(made.places)}', 'fragments' if made.fragments else 'replicas')
        for (part, _values), planned in zip(self._of('event'), made.events, strict=True):
            if planned.at >= made.seconds:
                self._fault(part, f'must be before the end, {made.seconds:g} s', 'at')
            most = made.hosts * made.workers
            if getattr(planned, 'number', 0) >= most:
                self._fault(part, f'must be a worker of 1 to {most}', 'restart')
