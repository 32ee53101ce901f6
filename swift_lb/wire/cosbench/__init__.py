"""COSBench's file formats: workload XML is read and written, files of results are written."""
