"""Topics of linked documents: citations, replies, common authors."""
