"""Load on a cluster: a runner of COSBench's workloads, and what it reports."""
