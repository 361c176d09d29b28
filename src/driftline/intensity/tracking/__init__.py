"""Topics and their intensities inferred together: the model and the methods of inference."""
