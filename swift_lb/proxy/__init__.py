"""The replica tier inside Swift's proxy, and the filters of its pipeline.

seam.py is the only file that names Swift's internals; it mixes the classes of getters.py into
Swift's getters. replicas.py decides the order, and imports nothing of Swift.
"""
