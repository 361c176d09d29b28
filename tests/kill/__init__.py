"""Kill `save`, `watch` and `label` wherever they change a file, and compare with a run that was never killed."""
