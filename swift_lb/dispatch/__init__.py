"""Does this proxy serve a request, and if not, which peer? Pure; proxy/ and sim/ both run it."""
