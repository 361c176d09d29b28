"""Growth of time and memory, scaling over threads; results of fuzzing, kill tests and mutants."""
