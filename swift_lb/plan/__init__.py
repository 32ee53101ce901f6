"""What all nodes are to do: each node computes the same Instruction from the same Reports."""
