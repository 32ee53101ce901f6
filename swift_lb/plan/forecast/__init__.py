"""Forecasts of series that are measured, such as a link's round trip, as NWS makes them. Pure."""
