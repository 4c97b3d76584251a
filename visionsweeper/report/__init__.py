"""What is said of an analysis: as JSON, as text, as an explanation."""
