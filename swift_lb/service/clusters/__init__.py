"""The summaries of clusters at one agent: those that it sends, and those that it receives."""
