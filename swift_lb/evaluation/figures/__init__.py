"""The drawings of the report; matplotlib is imported when the first is drawn."""
