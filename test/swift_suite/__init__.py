"""Swift's own tests, run on Swift's proxy application and on ours, and compared.

    python test/swift_suite/run.py            TestFile, replicated and erasure-coded
    python test/swift_suite/run.py --all      and test_object.py
    python test/swift_suite/run.py --unit     test/unit/proxy instead

A directory, not a file of test/functional: it is a tool with parts, its plug-in is loaded into
Swift's test processes and so must be importable apart from our tests, and its requirements are its
own. What the tests import beyond Swift is in test-swift-requirements.txt.
"""
