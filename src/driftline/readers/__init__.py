"""Any source of dated texts to a stream."""
