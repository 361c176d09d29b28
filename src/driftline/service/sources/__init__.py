"""Sources of documents: followed files, archives, Kafka, NATS JetStream, and the simulated newswire."""
