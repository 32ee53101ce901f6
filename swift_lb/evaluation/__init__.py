"""Compare policies as the LB-RLT paper did: run workloads on a lab and write a report."""
