"""The dispatcher's edge: what it reads, sends and answers, beside Swift's proxy."""
