"""The models of the service, kept in memory: words, topics, bursts; their state is a snapshot and a replay."""
