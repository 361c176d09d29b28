"""Reading, cleaning and counting texts, against plain Python, pandas and scikit-learn."""
