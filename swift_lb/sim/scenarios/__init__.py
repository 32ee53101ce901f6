"""The scenarios that swift-lb includes, as conf files; sim/shipped.py reads them."""
