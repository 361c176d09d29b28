"""Results to Plotly figures, for notebooks and for the report."""
