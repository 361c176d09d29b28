"""The live service: a stream that never ends, its models, and the page that shows them."""
