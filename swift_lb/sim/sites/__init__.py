"""Many clusters in virtual time: reads between them, links, summaries, and an oracle."""
