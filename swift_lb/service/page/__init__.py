"""The agents' page, as an HTML file; service/http.py reads it."""
