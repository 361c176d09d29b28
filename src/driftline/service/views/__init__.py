"""The answers of the service: queries of the store and of the aggregates, one file per screen."""
