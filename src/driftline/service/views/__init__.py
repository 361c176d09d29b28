"""The answers of the service: questions to the store and the aggregates, one file per screen."""
