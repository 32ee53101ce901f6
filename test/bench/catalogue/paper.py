"""Data of the paper: servers, mixes, requests, and the best rows of its Table 2.

Source: Piorkowski et al., "Load Balancing for Heterogeneous Web Servers", Tables 1 and 2.
"""
from typing import NamedTuple

FAST, SLOW = 'fast', 'slow'         # Windows with IIS, Linux with XSP
# Table 1, minimum times, seconds: those of s1 to s4 hardly differ, these are their means.
TIMES = {'G0': {FAST: 0.139, SLOW: 0.190},
         'G1': {FAST: 0.138, SLOW: 0.200},
         'G4': {FAST: 0.518, SLOW: 0.766}}
SIZES = {'G0': 20_000, 'G1': 80_000, 'G4': 300_000}     # bytes of an answer, section 4.3
MIXES = {'1 fast + 3 slow': (FAST, SLOW, SLOW, SLOW), '3 fast + 1 slow': (FAST, FAST, FAST, SLOW)}


class Best(NamedTuple):
    """The balancer with the highest rate of a column of Table 2; rates are requests a second."""

    name: str
    rate: float
    most: float     # the column's MAX


BEST = {('1 fast + 3 slow', 'G0'): Best('Lighttpd SQF', 158.7, 165.3),
        ('1 fast + 3 slow', 'G1'): Best('Lighttpd SQF', 167.1, 168.5),
        ('1 fast + 3 slow', 'G4'): Best('Inlab', 47.1, 47.6),
        ('3 fast + 1 slow', 'G0'): Best('Inlab', 195.4, 211.1),
        ('3 fast + 1 slow', 'G1'): Best('Inlab', 189.3, 190.3),
        ('3 fast + 1 slow', 'G4'): Best('Inlab', 50.8, 56.4)}
