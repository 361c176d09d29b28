"""Models of documents as sets of features: a latent feature model, and a classifier by the presence of words."""
