"""Load on a cluster: closed-loop readers; a COSBench-compatible runner is to come here."""
