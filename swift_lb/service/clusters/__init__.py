"""What an agent says and knows of clusters: its own summaries, and those of the others."""
