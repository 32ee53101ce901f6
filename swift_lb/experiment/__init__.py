"""The frame of experiments: results that survive an interruption, turns, ranges, progress, reports.

`swift-lb bench evaluate`, `swift-lb sim compare` and the benches of dispatchers are built on it.
"""
