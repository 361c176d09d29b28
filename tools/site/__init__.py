"""The documentation site: what `mkdocs.yml` needs beyond its plugins."""
