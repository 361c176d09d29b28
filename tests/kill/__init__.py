"""Kill `save`, `watch`, `label` and the search index wherever they change a file; compare with an undisturbed run."""
