"""The charts of the report; matplotlib is imported when the first one is drawn."""
