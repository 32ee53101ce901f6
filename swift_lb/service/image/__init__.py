"""`swift-lb-image`: decodes images outside of the proxy, and keeps results."""
