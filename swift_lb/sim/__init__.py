"""A simulator in virtual time, which runs load/, policy/, plan/ and dispatch/ as the proxies do."""
