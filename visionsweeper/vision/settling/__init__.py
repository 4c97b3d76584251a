"""The reading that is given: which of several cuts of a picture is read, and what of it is doubted."""
