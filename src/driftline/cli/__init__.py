"""The command line; each command lives in a file of its own and is imported only when it runs."""
