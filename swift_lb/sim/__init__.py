"""The same policies in virtual time: load/ and policy/ as the proxy runs them, disks simulated."""
