"""What every estimator must satisfy, written once and run for each."""
