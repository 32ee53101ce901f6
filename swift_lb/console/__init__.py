"""The commands that show what the proxies, agents and DNS services have measured."""
