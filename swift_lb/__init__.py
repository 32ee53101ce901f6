"""swift-lb: load balancing at every point of choice of an OpenStack Swift cluster."""
