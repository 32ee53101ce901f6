"""Presentation of results: numbers as text, charts as SVG, reports as HTML and Markdown."""
