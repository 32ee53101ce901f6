"""swift-lb: load balancing wherever an OpenStack Swift cluster, or its client, has a choice."""
