"""The filter in Swift's object servers that reports their load, and declines reads."""
