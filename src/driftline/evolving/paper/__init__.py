"""The published method: one optimisation problem per frame, or one for all frames."""
