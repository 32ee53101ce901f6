"""The processes of swift-lb: sockets, files and loops; what is computed is computed elsewhere."""
