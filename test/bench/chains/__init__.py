"""Parts of images: what the points, the cache and the cooperation of proxies gain."""
