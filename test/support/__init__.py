"""What unit tests, functional tests and benches share."""
