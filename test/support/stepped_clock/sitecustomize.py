"""Processes of a lab read a time of day that is wrong by the seconds in the lab's file `clock`.

Python imports this in each process that has the folder on its PYTHONPATH; a lab without the file
has the right time.
"""
import os
import time

LAB = os.environ.get('SWIFT_LB_LAB')
right = time.time


def stepped():
    """Return the time of day as the clock of the lab's host shows it."""
    try:
        with open(f'{LAB}/clock', encoding='ascii') as file:
            return right() + float(file.read())
    except FileNotFoundError:
        return right()


if LAB:
    time.time = stepped
