"""Figures and tables of a prevalence section."""
