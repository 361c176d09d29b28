"""The live service: throughput, latency, large stores, alarms, and hours of running."""
