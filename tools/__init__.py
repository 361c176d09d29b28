"""Tools of the project: licences and faults of dependencies, the bill of materials, the site, the gallery, the tree."""
