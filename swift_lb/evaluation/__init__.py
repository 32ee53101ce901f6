"""The policies compared as the LB-RLT paper compared them: workloads on a lab, and a report."""
