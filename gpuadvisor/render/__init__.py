"""Findings to text: one module a format. Everything that came from a report is escaped here."""
