"""The answers under an overload; see __main__.py."""
