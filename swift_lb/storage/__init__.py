"""What runs in Swift's object servers."""
