"""Both levels of balancing and each alone, as in Figures 5 and 6 of the paper; see __main__.py."""
