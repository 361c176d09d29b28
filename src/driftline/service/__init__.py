"""The live service: an unbounded stream of documents, the models that learn from it, and the page that shows both."""
