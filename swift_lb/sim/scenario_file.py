"""Scenario files: short INI files, parsed completely; all faults are reported together.

Sections: [scenario], [clients], [proxies], [ring], [network], [nodes NAME] for identical nodes, and
[event NAME] for each event.
"""
import configparser
import difflib
import math

from swift_lb.config import ini_sections
from swift_lb.errors import ConfigError
from swift_lb.sim.event_words import ACTIONS, OF_PROXIES, event
from swift_lb.sim.scenario import Scenario
from swift_lb.sim.scenario_words import EVENT, NODES, SCENARIO, NodeGroup, places

SECTIONS = [*(f'[{name}]' for name in SCENARIO), '[nodes NAME]', '[event NAME]']
NAMED = {'nodes': NODES, 'event': EVENT}


def parse(text, name):
    """Return the Scenario in an INI `text`, called `name`; raises ConfigError with every fault."""
    try:
        sections = ini_sections(text)
    except configparser.Error as err:
        raise ConfigError([f'{name}.conf: {" ".join(str(err).split())}']) from None
    reading = ScenarioReader(f'{name}.conf', sections)
    scenario = reading.scenario(name)
    if reading.faults:
        raise ConfigError(reading.faults)
    return scenario


def meant(word, known, otherwise, form='{}'):
    """Return `did you mean ...?` with the one of `known` that is close to `word`, else `otherwise`.

    `form` is a format string for the known word in the question: '[{}]' puts it into brackets.
    """
    near = difflib.get_close_matches(word, known, 1)
    return f'did you mean {form.format(near[0])}?' if near else otherwise


class ScenarioReader:
    """The parsed values of one scenario file; every fault that is found is added to `faults`."""

    def __init__(self, where, sections):
        """Parse every option of `sections`, {section: {option: text}}; `where` names the file."""
        self.faults, self._where, self._texts = [], where, sections
        self._values = {section: self._parsed(section, options)
                        for section, options in sections.items()}

    def scenario(self, name):
        """Return the Scenario, called `name`; None if any section or option has a fault.

        If only the sections do not go together, it adds to `faults` and returns the Scenario.
        """
        groups = [NodeGroup.of(section.removeprefix('nodes '), values)
                  for section, values in self._of('nodes') if self._has(section, 'service')]
        self._present()
        device_places, called = places(groups)
        fields = {field: value for section in SCENARIO for field, value in
                  self._values.get(section, {}).items()}
        events = [self._event(section, values, called) for section, values in self._of('event')]
        if self.faults:
            return None
        made = Scenario(name=name, places=tuple(device_places), events=tuple(events), **fields)
        self._together(made)
        return made

    def _fault(self, section, text, option=None):
        where = ''
        if option is not None:
            given = self._texts.get(section, {}).get(option)
            where = f', {option}' if given is None else f', {option} = {given}'
        self.faults.append(f'{self._where}, [{section}]{where}: {text}')

    def _of(self, kind):
        return [(section, values) for section, values in self._values.items()
                if section.startswith(f'{kind} ')]

    def _has(self, section, option):
        if option not in self._texts.get(section, {}):
            self._fault(section, 'is missing', option)
        return option in self._values.get(section, {})

    def _present(self):
        self._has('scenario', 'says')
        if not self._of('nodes'):
            self.faults.append(f'{self._where}: has no [nodes NAME] section: there must be one')
        if {'load', 'workers'} <= {*self._texts.get('clients', {})}:
            self._fault('clients', 'is of an open loop; with workers the loop is closed: '
                        'leave one of them out', 'load')
        if {'replicas', 'fragments'} <= {*self._texts.get('ring', {})}:
            self._fault('ring', 'an object has one of them: leave one out', 'replicas')

    def _parsed(self, section, options):
        kind, blank, _name = section.partition(' ')
        table = SCENARIO.get(section) or NAMED.get(kind if blank else '')
        if table is None:
            these = f'these are: {", ".join(SECTIONS)}'
            self._fault(section, f'is no section; {meant(section, SCENARIO, these, "[{}]")}')
            return {}
        values = {}
        for option, text in options.items():
            if option not in table:
                these = f'these are: {", ".join(table)}'
                self._fault(section, f'is no option; {meant(option, table, these)}', option)
                continue
            field, parse_option = table[option]
            try:
                values[field] = parse_option(text)
            except ValueError as err:
                self._fault(section, str(err), option)
        return values

    def _event(self, section, values, called):
        given = [option for option in self._texts[section] if option in ACTIONS]
        if len(given) != 1:
            self._fault(section, f'must say one of {", ".join(ACTIONS)}; it says '
                        + (' and '.join(given) or 'none'))
            return None
        nodes = self._devices(section, given[0], values, called)
        times = {key: values[key] for key in ('at', 'until') if key in values}
        if values.get('until', math.inf) <= values.get('at', 0.0):
            self._fault(section, 'must be later than `at`', 'until')
        if given[0] not in values or self.faults:
            return None
        return event(given[0], values[given[0]], nodes, times)

    def _devices(self, section, action, values, called):
        if action in OF_PROXIES:
            for option in (one for one in ('devices', 'until') if one in values):
                self._fault(section, f'{action} has none', option)
            return ()
        if not self._has(section, 'devices'):
            return ()
        nodes = {}
        for word in values['devices']:
            if word not in called:
                hint = meant(word, called, 'they are called NAME, NAME-1 or NAME-1/sd0')
                self._fault(section, f'{word} is no node nor device; {hint}', 'devices')
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
        for (section, _values), planned in zip(self._of('event'), made.events, strict=True):
            if planned.at >= made.seconds:
                self._fault(section, f'must be before the end, {made.seconds:g} s', 'at')
            most = made.hosts * made.workers
            if getattr(planned, 'number', 0) >= most:
                self._fault(section, f'must be a worker of 1 to {most}', 'restart')
