"""Something to evaluate that is made up, and the command line that would."""
import argparse

from swift_lb.evaluation import options, workloads


def arguments(*words):
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    return parser.parse_args(words)


class StubSubject:
    """What is measured, made up: notes what is asked of it."""

    processes, counts = 1, None
    access = workloads.open_to_all(['http://127.0.0.1:1/v1/a'])

    def __init__(self, starts=(), faults=None):
        """Take an error or None for each start, and {step: error} of ready()."""
        self.asked, self.well = [], True
        self.starts, self.faults = list(starts), faults or {}

    def start(self):
        self.asked.append('start')
        self.well = True
        if self.starts and (error := self.starts.pop(0)):
            raise error

    def ready(self, step):
        self.asked.append(step)
        if error := self.faults.get(step):
            self.well = False
            raise error

    def facts(self):
        return {'slow': [1]}

    def stop(self):
        self.asked.append('stop')
