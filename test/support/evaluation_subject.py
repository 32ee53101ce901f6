"""A stub of what an evaluation measures, and the parsed command line of an evaluation."""
import argparse

from swift_lb.evaluation import options, workloads


def arguments(*words):
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    return parser.parse_args(words)


class StubSubject:
    """Stands for the lab that is measured; `asked` lists its calls: 'start', steps, 'stop'."""

    processes, counts = 1, None
    access = workloads.open_to_all(['http://127.0.0.1:1/v1/a'])

    def __init__(self, starts=(), faults=None):
        """`starts`: an error or None for each start(); `faults`: {step: error of ready()}."""
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
