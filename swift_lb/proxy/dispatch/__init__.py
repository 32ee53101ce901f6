"""The dispatcher's input and output: clients' requests, connections to peers, conf, status page."""
