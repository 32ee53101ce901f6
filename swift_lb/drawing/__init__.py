"""How an edge shows what it found: numbers as text, drawings as SVG."""
