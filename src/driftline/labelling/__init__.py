"""The labelling desk: labels for every document of a stream from a few labels, with a growing vocabulary."""
