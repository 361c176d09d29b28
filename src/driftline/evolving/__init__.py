"""The evolving family: few labels, moving concepts."""
