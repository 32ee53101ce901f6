"""A closed loop in virtual time: proxies, clients behind DNS caches, dispatchers, and plan/."""
