"""What is left of the answers when more is asked than proxies can do; see __main__.py."""
