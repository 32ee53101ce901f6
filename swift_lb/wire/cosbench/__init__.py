"""COSBench's file formats: reads workload XML, writes result files."""
