"""`swift-lb image`: the client that shares the work on parts of images with the servers."""
