"""A runner of COSBench workloads, and its reports."""
