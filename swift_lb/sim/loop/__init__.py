"""A control loop in virtual time: proxies report loads, and plan/ steers DNS and dispatchers."""
