"""What a person looks at: the commands that show what the proxies know."""
