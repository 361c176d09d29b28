"""The documentation: its code runs, its links lead somewhere, its generated parts are current."""
