"""The policies in virtual time: runs load/ and policy/ as the proxy does, on simulated disks."""
