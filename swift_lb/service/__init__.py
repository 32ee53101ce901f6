"""The two daemons of swift-lb, agent and DNS: their sockets, files and loops, and no algorithms."""
