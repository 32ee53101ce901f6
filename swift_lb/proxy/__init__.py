"""The replica tier inside Swift's proxy, and the filters of its pipeline.

seam.py is the only file that touches Swift's internals; replicas.py decides, and knows no Swift.
"""
