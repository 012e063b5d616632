"""Figures and tables of a decision curve section."""
