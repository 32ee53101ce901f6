"""The replica tier inside Swift's proxy, and the filters of its pipeline.

seam.py is the only file that names Swift's internals, getters.py is what it mixes into them;
replicas.py decides, and knows no Swift.
"""
