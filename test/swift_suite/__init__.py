"""Run Swift's own tests on Swift's proxy application and on ours, and compare the outcomes.

    python test/swift_suite/run.py            TestFile, replicated and erasure-coded
    python test/swift_suite/run.py --all      and test_object.py
    python test/swift_suite/run.py --unit     test/unit/proxy instead

It is not in test/functional, as its plug-in is loaded into Swift's test processes and must be
importable apart from our tests. test-swift-requirements.txt has what Swift's tests import besides
Swift.
"""
