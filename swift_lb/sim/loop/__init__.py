"""The closed loop: proxies, clients behind DNS caches, dispatchers, and the code that plans."""
