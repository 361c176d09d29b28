"""The labelling desk: every document of a stream labelled although few were, with a vocabulary that grows."""
