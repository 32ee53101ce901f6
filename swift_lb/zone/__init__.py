"""What is a client of the zone told? Pure."""
