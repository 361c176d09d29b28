"""Topics whose content drifts while their intensity changes."""
