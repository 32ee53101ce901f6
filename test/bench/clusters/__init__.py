"""The bench of several clusters; see __main__.py."""
