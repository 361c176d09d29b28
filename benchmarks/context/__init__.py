"""Topics in context: shares, words and effects by group, links, sentiment and rules, against simple rivals."""
