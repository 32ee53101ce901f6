"""The claims of the LB-RLT paper, tested on the cells of an evaluation; see __main__.py."""
