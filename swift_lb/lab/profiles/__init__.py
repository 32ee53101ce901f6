"""The profiles that swift-lb includes, as conf files; lab/profile.py reads them."""
