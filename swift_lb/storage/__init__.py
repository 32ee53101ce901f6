"""The filter in Swift's object servers that reports the load of devices, and declines reads."""
