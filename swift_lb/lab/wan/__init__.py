"""A wide-area network on this machine: sites with labs, and slow links between the sites."""
