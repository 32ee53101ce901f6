"""The claims of the LB-RLT paper, tested on the runs of an evaluation; see __main__.py."""
