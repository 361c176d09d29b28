"""Claims of the report on real streams, on shuffled ones, and on any folder of streams."""
