"""The time until the remaining agents agree after any one or any two of five agents are killed.

python test/bench/killed_agents.py

3 minutes; exits with 1 if it ever takes longer than 5 s, or if a node had no valid instruction
meanwhile.
"""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.agents import Agents

from swift_lb.clock import monotonic, sleep
from swift_lb.instruction_file import InstructionFile

MAX_SECONDS = 5.0
OPTIONS = 'ramp = 1'


def agreed(agents, rest):
    """Return (seconds until all agents in `rest` agree that only they are up, faults meanwhile).

    A fault is a check, repeated until then, that finds a node without a valid instruction."""
    files = [InstructionFile(agents.directory / name / 'run' / 'instruction.json', monotonic)
             for name in rest]
    began, invalid = monotonic(), 0
    while not all(agents.up(name) == set(rest) for name in rest) and monotonic() - began < 20:
        invalid += sum(file.current() is None for file in files)
    return monotonic() - began, invalid


def main():
    """Print a line for each set of agents that are killed."""
    worst, without = 0.0, 0
    with Agents(5, options=OPTIONS) as agents:
        agents.start()
        agents.wait_for_agreement(agents.names)
        for dead in [*itertools.combinations(agents.names, 1),
                     *itertools.combinations(agents.names, 2)]:
            agents.kill(*dead)
            took, invalid = agreed(agents, [name for name in agents.names if name not in dead])
            print(f'{", ".join(dead):>16}: {took:.2f} s, {invalid} looks without an instruction')
            worst, without = max(worst, took), without + invalid
            agents.start(*dead)
            agents.wait_for_agreement(agents.names)
            sleep(1.0)
    print(f'at most {worst:.2f} s, of {MAX_SECONDS:g}')
    return int(worst > MAX_SECONDS or without > 0)


if __name__ == '__main__':
    sys.exit(main())
