"""Balancers of requests between proxies, compared on a lab; see __main__.py."""
