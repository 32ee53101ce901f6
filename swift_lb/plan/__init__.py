"""What all nodes are to do, computed by each from the same reports."""
