"""How an edge shows what it found: numbers as text, drawings as SVG, a report as a page."""
