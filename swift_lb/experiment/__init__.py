"""What experiments share: stored results, the order of runs, ranges over runs, progress, reports.

`swift-lb bench evaluate`, `swift-lb sim compare` and the benches of dispatchers use these modules.
"""
