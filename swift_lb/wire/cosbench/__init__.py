"""COSBench's formats: the workload XML that is read, and the result files that are written."""
