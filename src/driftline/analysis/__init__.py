"""The main analysis: a stream in, the findings out. Report, service and command line all show these."""
