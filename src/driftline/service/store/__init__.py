"""The store of the service: documents, batches, places, aggregates and models, in SQLite or PostgreSQL."""
