"""The command line; each command has its own file, which is imported only when the command runs."""
