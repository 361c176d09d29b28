"""The data of one frame: documents, labels, neighbour graph, records, and suggestions for labelling."""
